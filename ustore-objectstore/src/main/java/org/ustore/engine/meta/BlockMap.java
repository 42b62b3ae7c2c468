package org.ustore.engine.meta;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocks of one object are: device block and CRC-32C of each, in flat arrays per MiB of the object.
 *
 * <p>A chunk's array holds two ints per block, the device block (0 for a hole) and the checksum, and is only as long as
 * the blocks written need. Copies share chunks until one side changes them.
 */
public final class BlockMap {
    /** Device block of a hole. */
    public static final int HOLE = 0;

    private static final int CHUNK_BLOCKS = 256;
    private static final int CHUNK_SHIFT = 8;

    private @Nullable Chunk[] chunks;
    private int mappedBlocks;
    private Owner owner = new Owner();

    private static final class Chunk {
        final Owner owner;
        int[] entries;
        int mapped;

        Chunk(Owner owner, int[] entries, int mapped) {
            this.owner = owner;
            this.entries = entries;
            this.mapped = mapped;
        }
    }

    /** Nothing but a hole. */
    public BlockMap() {
        chunks = new Chunk[0];
    }

    private BlockMap(BlockMap other) {
        chunks = other.chunks.clone();
        mappedBlocks = other.mappedBlocks;
    }

    /** An independent map of the same blocks. */
    public BlockMap copy() {
        owner = new Owner();
        return new BlockMap(this);
    }

    /** Number of blocks that are not holes. */
    public int mappedBlocks() {
        return mappedBlocks;
    }

    /** One more than the last block that may be mapped. */
    public int endBlock() {
        return chunks.length << CHUNK_SHIFT;
    }

    /** Device block of the object's block {@code index}, or {@link #HOLE}. */
    public int block(int index) {
        return entry(index, 0);
    }

    /** Checksum of the object's block {@code index}; meaningless for a hole. */
    public int checksum(int index) {
        return entry(index, 1);
    }

    private int entry(int index, int part) {
        int c = index >>> CHUNK_SHIFT;
        Chunk chunk = c < chunks.length ? chunks[c] : null;
        int at = (index & (CHUNK_BLOCKS - 1)) * 2;
        return chunk == null || at >= chunk.entries.length ? 0 : chunk.entries[at + part];
    }

    /** First block at or after {@code from} that is mapped, or {@code to} if there is none before it. */
    public int nextMapped(int from, int to) {
        int i = from;
        while (i < to) {
            int c = i >>> CHUNK_SHIFT;
            if (c >= chunks.length) {
                return to;
            }
            Chunk chunk = chunks[c];
            if (chunk == null || chunk.mapped == 0) {
                i = (c + 1) << CHUNK_SHIFT;
            } else if (block(i) != HOLE) {
                return i;
            } else {
                i++;
            }
        }
        return to;
    }

    /** Sets the place of block {@code index} and returns the device block it had. */
    public int set(int index, int block, int checksum) {
        int c = index >>> CHUNK_SHIFT;
        int at = (index & (CHUNK_BLOCKS - 1)) * 2;
        if (block == HOLE && block(index) == HOLE) {
            return HOLE;
        }
        Chunk chunk = own(c, at + 2);
        int before = chunk.entries[at];
        chunk.entries[at] = block;
        chunk.entries[at + 1] = block == HOLE ? 0 : checksum;
        int change = (block == HOLE ? 0 : 1) - (before == HOLE ? 0 : 1);
        chunk.mapped += change;
        mappedBlocks += change;
        return before;
    }

    private Chunk own(int c, int length) {
        if (c >= chunks.length) {
            chunks = Arrays.copyOf(chunks, c + 1);
        }
        Chunk chunk = chunks[c];
        if (chunk == null) {
            chunk = new Chunk(owner, new int[capacity(length)], 0);
            chunks[c] = chunk;
        } else if (chunk.owner != owner) {
            chunk = new Chunk(
                    owner,
                    Arrays.copyOf(chunk.entries, Math.max(chunk.entries.length, capacity(length))),
                    chunk.mapped);
            chunks[c] = chunk;
        } else if (chunk.entries.length < length) {
            chunk.entries = Arrays.copyOf(chunk.entries, capacity(length));
        }
        return chunk;
    }

    private static int capacity(int length) {
        return Math.max(2, Integer.highestOneBit(length - 1) << 1);
    }
}
