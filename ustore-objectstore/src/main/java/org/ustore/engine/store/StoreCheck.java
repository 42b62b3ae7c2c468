package org.ustore.engine.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.BlockMap;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.Usage;
import org.ustore.engine.shard.Recovery;
import org.ustore.engine.shard.ShardState;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Checks a store that is not mounted, without writing: recovers it in memory, compares what recovery kept count of with a
 * count from scratch, and if deep reads all data.
 */
public final class StoreCheck {
    private static final int READ_BLOCKS = 256;

    private final boolean deep;
    private final List<String> errors = new ArrayList<>();
    private long objects;

    private StoreCheck(boolean deep) {
        this.deep = deep;
    }

    /** Checks the store on {@code device}; a store that cannot be recovered is an error like any other. */
    public static FsckReport run(BlockDevice device, boolean deep) {
        StoreCheck check = new StoreCheck(deep);
        try {
            check.check(new Recovery(device, 1, new LogReplay()));
        } catch (ObjectStoreException e) {
            check.errors.add(e.getMessage());
        }
        return new FsckReport(List.copyOf(check.errors), check.objects);
    }

    private void check(Recovery recovery) {
        errors.addAll(recovery.errors());
        if (!errors.isEmpty()) {
            return;
        }
        ShardState state = recovery.state();
        BlockReader reader = new BlockReader(state);
        Map<Long, Usage> counted = new HashMap<>();
        Map<Integer, ObjectId> owners = new HashMap<>();
        for (CollectionState collection : state.catalog().collections()) {
            collection.objects().forEach((object, onode) -> {
                objects++;
                Usage usage = counted.computeIfAbsent(object.logicalPool(), _ -> new Usage());
                usage.addObject(object, onode);
                usage.allocatedBlocks += countBlocks(object, onode, state, owners);
                if (deep) {
                    readAll(reader, object, onode);
                }
            });
        }
        compareUsage(state, counted);
        errors.addAll(state.checkSpace(owners.keySet()));
    }

    private long countBlocks(ObjectId object, Onode onode, ShardState state, Map<Integer, ObjectId> owners) {
        BlockMap blocks = onode.blocks();
        long unique = 0;
        int end = blocks.endBlock();
        for (int i = blocks.nextMapped(0, end); i < end; i = blocks.nextMapped(i + 1, end)) {
            int block = blocks.block(i);
            if (i >= onode.sizeBlocks()) {
                errors.add("object " + object + " has block " + i + " past its end, size=" + onode.size);
            }
            if (!state.isUsed(block)) {
                errors.add("object " + object + " block " + i + ": device block " + block + " counts as free");
            }
            if (owners.putIfAbsent(block, object) == null) {
                unique++;
            }
        }
        return unique;
    }

    private void readAll(BlockReader reader, ObjectId object, Onode onode) {
        var buffer = AlignedBuffers.allocate((long) READ_BLOCKS * BlockDevice.BLOCK_BYTES);
        for (long offset = 0; offset < onode.size; offset += buffer.byteSize()) {
            long n = Math.min(buffer.byteSize(), onode.size - offset);
            try {
                reader.read(reader.plan(object, onode.blocks(), offset, n), offset, n, buffer, 0);
            } catch (ObjectStoreException e) {
                errors.add(e.getMessage());
            }
        }
    }

    private void compareUsage(ShardState state, Map<Long, Usage> counted) {
        state.catalog().usageByPool().forEach((pool, kept) -> {
            Usage found = counted.getOrDefault(pool, new Usage());
            if (!kept.toString().equals(found.toString())) {
                errors.add("usage of pool " + pool + ": expected " + found + ", found " + kept);
            }
        });
    }
}
