package org.ustore.engine.objects;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.ObjectStoreException;

/** The stored values of the chunks that ranges of an object lie in. */
final class ChunkValues implements BlockReader.Source {
    private static final long CHUNK_BYTES = (long) Chunk.BLOCKS * BlockDevice.BLOCK_BYTES;

    private static final class Value {
        final int number;
        final byte[] places;
        final byte @Nullable [] checksums;

        Value(int number, byte[] places, byte @Nullable [] checksums) {
            this.number = number;
            this.places = places;
            this.checksums = checksums;
        }
    }

    private final List<Value> values = new ArrayList<>(2);

    private ChunkValues() {}

    /** Reads the chunks; any thread. */
    static ChunkValues read(MetadataStore metadata, Onode onode, List<Extent> extents) {
        ChunkValues result = new ChunkValues();
        if (onode.mappedBlocks == 0) {
            return result;
        }
        for (Extent extent : extents) {
            if (extent.length() > 0) {
                int first = (int) (extent.offset() / CHUNK_BYTES);
                int last = (int) ((extent.offset() + extent.length() - 1) / CHUNK_BYTES);
                for (int number = first; number <= last; number++) {
                    result.add(metadata, onode.nid, number);
                }
            }
        }
        return result;
    }

    private void add(MetadataStore metadata, long nid, int number) {
        if (find(number) != null) {
            return;
        }
        byte[] places = metadata.get(Keys.places(nid, number));
        if (places != null) {
            values.add(new Value(number, places, metadata.get(Keys.checksums(nid, number))));
        }
    }

    private @Nullable Value find(int number) {
        for (int i = values.size() - 1; i >= 0; i--) {
            if (values.get(i).number == number) {
                return values.get(i);
            }
        }
        return null;
    }

    @Override
    public void locate(int first, int[] places, int[] checksums) {
        int i = 0;
        while (i < places.length) {
            int from = (first + i) & (Chunk.BLOCKS - 1);
            int end = Math.min(Chunk.BLOCKS, from + places.length - i);
            Value value = find((first + i) >>> Chunk.SHIFT);
            if (value != null) {
                byte[] stored = value.checksums;
                if (stored == null) {
                    throw new ObjectStoreException(
                            ErrorCode.EIO, "malformed metadata: no checksums of chunk " + value.number);
                }
                Chunk.readPlaces(value.places, from, end, places, i);
                Chunk.readChecksums(stored, from, end, checksums, i);
            }
            i += end - from;
        }
    }

    /** Told of blocks of the object that are no holes. */
    @FunctionalInterface
    interface RunVisitor {
        /** Blocks from {@code first} up to {@code end}. */
        void run(int first, int end);
    }

    /** Names all blocks of these chunks that are no holes, ascending; neighbours may come in pieces. */
    void forEachRun(RunVisitor visitor) {
        for (Value value : values) {
            int base = value.number << Chunk.SHIFT;
            Chunk.forEachRun(value.places, (at, _, count) -> visitor.run(base + at, base + at + count));
        }
    }
}
