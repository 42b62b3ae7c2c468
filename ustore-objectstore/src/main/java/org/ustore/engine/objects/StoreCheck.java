package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.core.Recovery;
import org.ustore.engine.core.ShardState;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Checks a store that is not mounted, without writing: recovers it in memory, reads all metadata, compares what is kept
 * count of with a count from scratch, and if deep reads all data. Takes memory for the cache and a bit per block of the
 * device, however many objects there are.
 */
public final class StoreCheck {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int READ_BYTES = 1 << 20;
    private static final long OBJECT_CACHE_BYTES = 1 << 20;
    /** More errors than this are counted but not told. */
    private static final int MAX_ERRORS = 1000;

    private final boolean deep;
    private final List<String> errors = new ArrayList<>();
    private final MemorySegment buffer = AlignedBuffers.allocate(READ_BYTES);
    private long moreErrors;
    private long objects;
    private long chunks;
    private long omapEntries;
    /** References to data blocks, and blocks referred to. */
    private long references;

    private long uniqueBlocks;

    private StoreCheck(boolean deep) {
        this.deep = deep;
    }

    /**
     * Checks the store on {@code device} with {@code cacheBytes} of memory for metadata; a store that cannot be recovered
     * is an error like any other.
     */
    public static FsckReport run(BlockDevice device, boolean deep, long cacheBytes) {
        StoreCheck check = new StoreCheck(deep);
        try {
            check.check(Recovery.run(device, 1, cacheBytes, new PlacesWalk()));
        } catch (ObjectStoreException e) {
            check.error(String.valueOf(e.getMessage()));
        }
        if (check.moreErrors > 0) {
            check.errors.add("and " + check.moreErrors + " more errors");
        }
        return new FsckReport(List.copyOf(check.errors), check.objects);
    }

    private void error(String what) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(what);
        } else {
            moreErrors++;
        }
    }

    private void check(Recovery recovery) {
        recovery.errors().forEach(this::error);
        ShardState state = recovery.state();
        long _ = state.tree().verify(this::error);
        if (!errors.isEmpty()) {
            return;
        }
        ObjectTable table = new ObjectTable(state, OBJECT_CACHE_BYTES);
        BlockReader reader = new BlockReader(state);
        TreeMap<Long, Usage> counted = new TreeMap<>();
        NavigableMap<ByteString, CollectionRange> ranges = ranges(table);
        BlockSet seen = new BlockSet();
        try (Snapshot snapshot = state.tree().snapshot()) {
            KeyIterator at = snapshot.iterator();
            byte[] end = Keys.after(Keys.OBJECT);
            for (at.seek(new byte[] {Keys.OBJECT}); at.valid() && at.compareKey(end) < 0; at.next()) {
                ObjectId object = Keys.objectOf(at.key());
                Onode onode = Onode.decode(at.value());
                objects++;
                checkPlace(at.key(), object, ranges);
                if (onode.nid >= table.nextNid()) {
                    error("object " + object + " has nid " + onode.nid + ", but the next one is " + table.nextNid());
                }
                Usage usage = counted.computeIfAbsent(object.logicalPool(), _ -> new Usage());
                usage.storedBytes += checkChunks(state, snapshot, object, onode, seen);
                usage.omapBytes += checkOmap(snapshot, object, onode);
                if (deep) {
                    readAll(reader, table, object, onode);
                }
            }
            compareCounts("chunks", chunks, count(snapshot, Keys.PLACES));
            compareCounts("checksums of chunks", chunks, count(snapshot, Keys.CHECKSUMS));
            compareCounts("omap entries", omapEntries, count(snapshot, Keys.OMAP));
        }
        compareUsage(table, counted);
        compareCounts("references to shared blocks", references - uniqueBlocks, state.extraReferences());
        state.checkSpace(uniqueBlocks).forEach(this::error);
    }

    private static NavigableMap<ByteString, CollectionRange> ranges(ObjectTable table) {
        TreeMap<ByteString, CollectionRange> ranges = new TreeMap<>();
        for (Map.Entry<CollectionId, Integer> collection : table.collections().entrySet()) {
            for (CollectionRange range : CollectionRange.of(collection.getKey(), collection.getValue())) {
                ranges.put(ByteString.wrap(range.from()), range);
            }
        }
        return ranges;
    }

    private void checkPlace(byte[] key, ObjectId object, NavigableMap<ByteString, CollectionRange> ranges) {
        Map.@Nullable Entry<ByteString, CollectionRange> before = ranges.floorEntry(ByteString.wrap(key));
        if (before == null
                || java.util.Arrays.compareUnsigned(key, before.getValue().to()) >= 0) {
            error("object " + object + " is in no collection");
        }
    }

    /** Checks an object's chunks and returns its stored bytes. */
    private long checkChunks(ShardState state, Snapshot snapshot, ObjectId object, Onode onode, BlockSet seen) {
        int[] mapped = new int[1];
        boolean[] last = new boolean[1];
        KeyIterator at = snapshot.iterator();
        byte[] end = Keys.places(onode.nid + 1, 0);
        for (at.seek(Keys.places(onode.nid, 0)); at.valid() && at.compareKey(end) < 0; at.next()) {
            chunks++;
            byte[] key = at.key();
            int base = Keys.chunkOf(key) << Chunk.SHIFT;
            byte[] checksums = snapshot.get(Keys.checksums(onode.nid, Keys.chunkOf(key)));
            Chunk.forEachRun(at.value(), (from, first, count) -> {
                for (int i = 0; i < count; i++) {
                    checkBlock(state, object, onode, base + from + i, first + i, seen);
                }
                mapped[0] += count;
                last[0] |= onode.sizeBlocks() - 1 >= base + from && onode.sizeBlocks() - 1 < base + from + count;
                if (!Chunk.covers(checksums, from + count)) {
                    error("object " + object + " has no checksums of chunk " + Keys.chunkOf(key));
                }
            });
        }
        if (mapped[0] != onode.mappedBlocks) {
            error("object " + object + " mapped blocks: expected=" + mapped[0] + " found=" + onode.mappedBlocks);
        }
        int tail = (int) (onode.size % BLOCK);
        return (long) mapped[0] * BLOCK - (last[0] && tail != 0 ? BLOCK - tail : 0);
    }

    private void checkBlock(ShardState state, ObjectId object, Onode onode, int index, int block, BlockSet seen) {
        if (index >= onode.sizeBlocks()) {
            error("object " + object + " has block " + index + " past its end, size=" + onode.size);
        }
        if (!state.isUsed(block)) {
            error("object " + object + " block " + index + ": device block " + block + " counts as free");
        }
        references++;
        if (seen.add(block)) {
            uniqueBlocks++;
        }
    }

    /** Checks an object's omap and returns the bytes it counts. */
    private long checkOmap(Snapshot snapshot, ObjectId object, Onode onode) {
        long bytes = 0;
        try (OmapCursor at = new OmapCursor(new Borrowed(snapshot), onode.nid)) {
            for (at.seekToFirst(); at.valid(); at.next()) {
                bytes += Workspace.entryBytes(at.key()) + at.value().length();
                omapEntries++;
            }
        }
        if (bytes != onode.omapBytes) {
            error("object " + object + " omap bytes: expected=" + bytes + " found=" + onode.omapBytes);
        }
        return bytes + onode.omapHeader.length();
    }

    /** A snapshot that somebody else closes. */
    private record Borrowed(Snapshot snapshot) implements Snapshot {
        @Override
        public byte @Nullable [] get(byte[] key) {
            return snapshot.get(key);
        }

        @Override
        public KeyIterator iterator() {
            return snapshot.iterator();
        }

        @Override
        public long size() {
            return snapshot.size();
        }

        @Override
        public void close() {
            // Not ours.
        }
    }

    private void readAll(BlockReader reader, ObjectTable table, ObjectId object, Onode onode) {
        for (long offset = 0; offset < onode.size && onode.mappedBlocks > 0; offset += READ_BYTES) {
            long n = Math.min(READ_BYTES, onode.size - offset);
            try {
                ChunkValues values = ChunkValues.read(table.metadata(), onode, List.of(new Extent(offset, n)));
                reader.read(reader.plan(object, values, offset, n), offset, n, buffer, 0);
            } catch (ObjectStoreException e) {
                error(String.valueOf(e.getMessage()));
            }
        }
    }

    private static long count(Snapshot snapshot, byte prefix) {
        long count = 0;
        KeyIterator at = snapshot.iterator();
        byte[] end = Keys.after(prefix);
        for (at.seek(new byte[] {prefix}); at.valid() && at.compareKey(end) < 0; at.next()) {
            count++;
        }
        return count;
    }

    private void compareCounts(String what, long expected, long found) {
        if (expected != found) {
            error(what + ": expected=" + expected + " found=" + found);
        }
    }

    private void compareUsage(ObjectTable table, SortedMap<Long, Usage> counted) {
        long allocated = 0;
        TreeSet<Long> pools = new TreeSet<>(counted.keySet());
        pools.addAll(table.usage().keySet());
        for (long pool : pools) {
            Usage expected = counted.getOrDefault(pool, new Usage());
            Usage found = table.usage().getOrDefault(pool, new Usage());
            compareCounts("stored bytes of pool " + pool, expected.storedBytes, found.storedBytes);
            compareCounts("omap bytes of pool " + pool, expected.omapBytes, found.omapBytes);
            allocated += found.allocatedBlocks;
        }
        compareCounts("allocated blocks of all pools", uniqueBlocks, allocated);
    }

    /** A set of device blocks, a bit each. */
    private static final class BlockSet {
        private final java.util.BitSet bits = new java.util.BitSet();

        /** Whether it was not there. */
        boolean add(int block) {
            if (block < 0 || bits.get(block)) {
                return false;
            }
            bits.set(block);
            return true;
        }
    }
}
