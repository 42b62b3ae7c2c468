package org.ustore.engine.shard;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.BlockMap;
import org.ustore.engine.meta.Catalog;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Usage;
import org.ustore.engine.space.FreeSpace;
import org.ustore.engine.space.IntIntMap;
import org.ustore.engine.space.IntList;
import org.ustore.engine.space.ReadGuard;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * What a shard knows: metadata, free space, reference counts, pending blocks. Belongs to whoever holds the shard's lock,
 * or to the one thread that recovers or checks the store.
 */
public final class ShardState {
    private final BlockDevice device;
    private final Catalog catalog = new Catalog();
    private final FreeSpace space;
    private final ReadGuard guard = new ReadGuard();
    private final PendingBlocks pending;
    /** Reference counts of the blocks that have more than one. */
    private final IntIntMap shared = new IntIntMap();
    /** Freed since the last checkpoint began. */
    private IntList freed = new IntList();

    /** Superblocks, log and image, when the store was opened. */
    private int unreferredBlocks;

    ShardState(BlockDevice device, int totalBlocks, int reservedBlocks, int maxSlots) {
        this.device = device;
        this.space = new FreeSpace(totalBlocks, reservedBlocks);
        this.pending = new PendingBlocks(maxSlots);
    }

    /** The device. */
    public BlockDevice device() {
        return device;
    }

    /** The metadata. */
    public Catalog catalog() {
        return catalog;
    }

    FreeSpace space() {
        return space;
    }

    /** What keeps blocks from being used again under a reader. */
    public ReadGuard guard() {
        return guard;
    }

    PendingBlocks pending() {
        return pending;
    }

    int freedBlocks() {
        return freed.size();
    }

    /** Blocks freed so far; starts a new list. */
    IntList takeFreed() {
        IntList taken = freed;
        freed = new IntList();
        return taken;
    }

    /** Allocates blocks, each with one reference; enough are free. */
    public int[] allocate(int count) {
        if (count > space.freeBlocks()) {
            guard.advance(this::reuse);
        }
        if (count > space.freeBlocks()) {
            throw new ObjectStoreException(
                    ErrorCode.ENOSPC, "no space: blocks wanted=" + count + " free=" + space.freeBlocks());
        }
        return space.allocate(count);
    }

    /** Gives back blocks that were allocated but never referred to by a record. */
    public void giveBack(int[] blocks) {
        for (int block : blocks) {
            space.release(block);
        }
    }

    /** Marks a block that a replayed record allocated. */
    public void markAllocated(int block) {
        if (block <= 0 || block >= space.totalBlocks() || !space.markUsed(block)) {
            throw new ObjectStoreException(ErrorCode.EIO, "log record allocates block " + block + ", which is in use");
        }
    }

    /** Adds a reference to an allocated block. */
    public void reference(int block) {
        shared.put(block, shared.get(block, 1) + 1);
    }

    /** Drops a reference; true if it was the last, and the block is free or will be after the next checkpoint. */
    public boolean dereference(int block) {
        int count = shared.get(block, 1);
        if (count > 2) {
            shared.put(block, count - 1);
            return false;
        }
        if (count == 2) {
            shared.remove(block, 0);
            return false;
        }
        int slot = pending.removeLive(block);
        if (slot == PendingBlocks.NONE) {
            freed.add(block);
        } else {
            guard.retire(~slot);
            space.release(block);
        }
        return true;
    }

    /** Keeps the data of a block that only the log holds. */
    public void stage(int block, MemorySegment data, long offset) {
        if (!pending.hasFreeSlot()) {
            // Replay of a long log comes by here alone: without this each block ever staged would take a slot for good.
            guard.advance(this::reuse);
        }
        pending.stage(block, data, offset);
    }

    /** The slot that holds {@code block}, negative if it is on the device. */
    public int pendingSlot(int block) {
        return pending.find(block);
    }

    /** The memory of a slot; any thread inside the guard. */
    public MemorySegment slot(int slot) {
        return pending.slot(slot);
    }

    /** Takes back what the guard hands out: a block, or the complement of a slot. */
    void reuse(int id) {
        if (id < 0) {
            pending.free(~id);
        } else {
            space.release(id);
        }
    }

    /** Whether a block is in use, reserved or waiting to be free. */
    public boolean isUsed(int block) {
        return space.isUsed(block);
    }

    /** Compares the number of blocks in use with those that are referred to or about to be free; one line if wrong. */
    public List<String> checkSpace(Set<Integer> referred) {
        int used = space.totalBlocks() - space.freeBlocks();
        int expected = unreferredBlocks + freed.size() + referred.size();
        return used == expected ? List.of() : List.of("blocks in use: expected=" + expected + " found=" + used);
    }

    /** Derives free space, reference counts and usage from the metadata just loaded; what is wrong goes to errors. */
    List<String> rebuild(int[] imageBlocks) {
        List<String> errors = new ArrayList<>();
        for (int block : imageBlocks) {
            if (!space.markUsed(block)) {
                errors.add("checkpoint image overlaps another structure at block " + block);
            }
        }
        unreferredBlocks = space.totalBlocks() - space.freeBlocks();
        FreeSpace withoutData = space.copy();
        for (CollectionState collection : catalog.collections()) {
            collection.objects().forEach((object, onode) -> {
                Usage usage = catalog.usage(object.logicalPool());
                usage.addObject(object, onode);
                usage.allocatedBlocks += claim(object, onode.blocks(), withoutData, errors);
            });
        }
        return errors;
    }

    /** Marks or counts an object's blocks; returns how many were not referred to before. */
    private long claim(ObjectId object, BlockMap blocks, FreeSpace withoutData, List<String> errors) {
        long unique = 0;
        int end = blocks.endBlock();
        for (int i = blocks.nextMapped(0, end); i < end; i = blocks.nextMapped(i + 1, end)) {
            int block = blocks.block(i);
            if (block <= 0 || block >= space.totalBlocks() || withoutData.isUsed(block)) {
                errors.add("object " + object + " block " + i + ": device block " + block
                        + " is outside the data area or belongs to the checkpoint image");
            } else if (space.markUsed(block)) {
                unique++;
            } else {
                reference(block);
            }
        }
        return unique;
    }
}
