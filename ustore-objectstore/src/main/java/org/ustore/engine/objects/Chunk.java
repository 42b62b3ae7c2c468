package org.ustore.engine.objects;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.core.DataWalk;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Where the blocks of 1 MiB of an object are, and their checksums: two values, so that start-up reads places alone.
 * Little-endian:
 *
 * <pre>
 *  places, at most 24 runs:  1 u8 | 0 u8 | runs u16 | each: first block in the chunk u16 | blocks u16 | device block u32
 *  places, scattered:        2 u8 | 0 u24 | device block u32 of each block, 0 = hole
 *  checksums:                1 u8 | 0 u24 | CRC-32C u32 of each block, anything for a hole
 * </pre>
 *
 * <p>The last two end at or after the last block that is no hole, and are changed by patches. Belongs to one transaction.
 */
final class Chunk {
    /** Blocks of a chunk. */
    static final int BLOCKS = 256;

    static final int SHIFT = 8;
    /** Device block of a hole. */
    static final int HOLE = 0;

    private static final int HEADER_BYTES = 4;
    private static final int RUN_BYTES = 8;
    /** With more runs than this a patch of four bytes is less to write than all of them. */
    private static final int MAX_RUNS = 24;

    private static final byte RUNS = 1;
    private static final byte SCATTERED = 2;
    private static final byte CHECKSUMS = 1;

    private final MetadataStore metadata;
    private final long nid;
    private final int number;
    private final int[] blocks = new int[BLOCKS];
    private int @Nullable [] checksums;
    private int mapped;
    /** Whether the stored places are scattered ones, to be patched. */
    private boolean scattered;
    /** Length of the stored checksums in blocks; -1 if there are none. */
    private int storedChecksums = -1;
    /** Blocks that differ from what is stored. */
    private int changedFrom = BLOCKS;

    private int changedEnd;

    /** Reads a chunk; of one that is not there all is a hole. */
    Chunk(MetadataStore metadata, long nid, int number) {
        this.metadata = metadata;
        this.nid = nid;
        this.number = number;
        byte[] places = metadata.get(Keys.places(nid, number));
        if (places == null) {
            checksums = new int[BLOCKS];
            return;
        }
        scattered = places[0] == SCATTERED;
        forEachRun(places, (at, first, count) -> {
            for (int i = 0; i < count; i++) {
                blocks[at + i] = first + i;
            }
            mapped += count;
        });
    }

    /** Whether all of it is a hole. */
    boolean isEmpty() {
        return mapped == 0;
    }

    int block(int index) {
        return blocks[index];
    }

    int checksum(int index) {
        return checksums()[index];
    }

    private int[] checksums() {
        int[] present = checksums;
        if (present == null) {
            present = new int[BLOCKS];
            byte[] stored = metadata.get(Keys.checksums(nid, number));
            if (stored == null) {
                throw malformed("no checksums of chunk", nid, number);
            }
            storedChecksums = (stored.length - HEADER_BYTES) / Integer.BYTES;
            for (int i = 0; i < Math.min(BLOCKS, storedChecksums); i++) {
                present[i] = getInt(stored, HEADER_BYTES + i * Integer.BYTES);
            }
            checksums = present;
        }
        return present;
    }

    /** First block at or after {@code from} that is no hole, or {@code to}. */
    int nextMapped(int from, int to) {
        if (mapped == 0) {
            return to;
        }
        int i = from;
        while (i < to && blocks[i] == HOLE) {
            i++;
        }
        return i;
    }

    /** Sets the place of a block and returns the one it had. */
    int set(int index, int block, int checksum) {
        int before = blocks[index];
        if (before == HOLE && block == HOLE) {
            return HOLE;
        }
        if (block != HOLE) {
            checksums()[index] = checksum;
        }
        blocks[index] = block;
        mapped += (block == HOLE ? 0 : 1) - (before == HOLE ? 0 : 1);
        changedFrom = Math.min(changedFrom, index);
        changedEnd = Math.max(changedEnd, index + 1);
        return before;
    }

    /** Adds what changed to {@code batch}. */
    void save(WriteBatch batch) {
        if (changedFrom >= changedEnd) {
            return;
        }
        if (mapped == 0) {
            batch.delete(Keys.places(nid, number)).delete(Keys.checksums(nid, number));
            scattered = false;
            storedChecksums = -1;
            checksums = new int[BLOCKS];
        } else {
            savePlaces(batch);
            saveChecksums(batch);
        }
        changedFrom = BLOCKS;
        changedEnd = 0;
    }

    private void savePlaces(WriteBatch batch) {
        byte[] key = Keys.places(nid, number);
        int runs = countRuns();
        if (runs <= MAX_RUNS) {
            batch.put(key, encodeRuns(runs));
            scattered = false;
        } else if (scattered) {
            batch.patch(key, HEADER_BYTES + changedFrom * Integer.BYTES, ints(blocks, changedFrom, changedEnd, 0, (byte)
                    0));
        } else {
            batch.put(key, ints(blocks, 0, end(), HEADER_BYTES, SCATTERED));
            scattered = true;
        }
    }

    private void saveChecksums(WriteBatch batch) {
        int[] present = checksums;
        if (present == null) {
            return; // Only holes came, whose checksums nobody asks for.
        }
        byte[] key = Keys.checksums(nid, number);
        if (storedChecksums < 0) {
            storedChecksums = end();
            batch.put(key, ints(present, 0, storedChecksums, HEADER_BYTES, CHECKSUMS));
        } else {
            batch.patch(
                    key, HEADER_BYTES + changedFrom * Integer.BYTES, ints(present, changedFrom, changedEnd, 0, (byte)
                            0));
            storedChecksums = Math.max(storedChecksums, changedEnd);
        }
    }

    private int end() {
        int end = BLOCKS;
        while (end > 0 && blocks[end - 1] == HOLE) {
            end--;
        }
        return end;
    }

    private int countRuns() {
        int runs = 0;
        int expected = HOLE;
        for (int block : blocks) {
            if (block != HOLE && block != expected) {
                runs++;
            }
            expected = block == HOLE ? HOLE : block + 1;
        }
        return runs;
    }

    private byte[] encodeRuns(int runs) {
        byte[] out = new byte[HEADER_BYTES + runs * RUN_BYTES];
        out[0] = RUNS;
        putShort(out, 2, runs);
        int at = HEADER_BYTES;
        int i = nextMapped(0, BLOCKS);
        while (i < BLOCKS) {
            int n = 1;
            while (i + n < BLOCKS && blocks[i + n] == blocks[i] + n) {
                n++;
            }
            putShort(out, at, i);
            putShort(out, at + 2, n);
            putInt(out, at + 4, blocks[i]);
            at += RUN_BYTES;
            i = nextMapped(i + n, BLOCKS);
        }
        return out;
    }

    private static byte[] ints(int[] values, int from, int end, int headerBytes, byte format) {
        byte[] out = new byte[headerBytes + (end - from) * Integer.BYTES];
        if (headerBytes > 0) {
            out[0] = format;
        }
        for (int i = from; i < end; i++) {
            putInt(out, headerBytes + (i - from) * Integer.BYTES, values[i]);
        }
        return out;
    }

    // ---- stored values ----

    /** Told where neighbouring blocks of a chunk are. */
    @FunctionalInterface
    interface RunVisitor {
        /** Blocks of the chunk from {@code at} on are the device's from {@code first} on. */
        void run(int at, int first, int count);
    }

    /** Names the runs of a stored value. */
    static void forEachRun(byte[] places, RunVisitor visitor) {
        if (places.length >= HEADER_BYTES
                && places[0] == RUNS
                && places.length == HEADER_BYTES + runs(places) * RUN_BYTES) {
            for (int at = HEADER_BYTES; at < places.length; at += RUN_BYTES) {
                int from = getShort(places, at);
                int count = getShort(places, at + 2);
                if (from + count > BLOCKS) {
                    throw malformed("run past the end of a chunk:", from, count);
                }
                visitor.run(from, getInt(places, at + 4), count);
            }
        } else if (places.length >= HEADER_BYTES
                && places[0] == SCATTERED
                && places.length <= HEADER_BYTES + BLOCKS * Integer.BYTES) {
            for (int i = 0; i < (places.length - HEADER_BYTES) / Integer.BYTES; i++) {
                int block = getInt(places, HEADER_BYTES + i * Integer.BYTES);
                if (block != HOLE) {
                    visitor.run(i, block, 1);
                }
            }
        } else {
            throw malformed("places of a chunk: format and bytes", places.length == 0 ? -1 : places[0], places.length);
        }
    }

    /** Puts the places that fall into blocks {@code from} to {@code end} of a chunk into {@code out}. */
    static void readPlaces(byte[] places, int from, int end, int[] out, int outAt) {
        forEachRun(places, (at, first, count) -> {
            int start = Math.max(at, from);
            for (int i = start; i < Math.min(at + count, end); i++) {
                out[outAt + i - from] = first + i - at;
            }
        });
    }

    /** Puts the checksums of blocks {@code from} to {@code end} of a chunk into {@code out}. */
    static void readChecksums(byte[] stored, int from, int end, int[] out, int outAt) {
        int limit = Math.min(end, (stored.length - HEADER_BYTES) / Integer.BYTES);
        for (int i = from; i < limit; i++) {
            out[outAt + i - from] = getInt(stored, HEADER_BYTES + i * Integer.BYTES);
        }
    }

    /** Whether stored checksums, or null, reach up to block {@code end} of their chunk. */
    static boolean covers(byte @Nullable [] stored, int end) {
        return stored != null && stored.length >= HEADER_BYTES + end * Integer.BYTES && stored[0] == CHECKSUMS;
    }

    /** Names the device blocks of a stored value. */
    static void visit(byte[] places, DataWalk.Visitor visitor) {
        forEachRun(places, (_, first, count) -> visitor.run(first, count));
    }

    private static int runs(byte[] places) {
        return getShort(places, 2);
    }

    private static ObjectStoreException malformed(String what, long one, long other) {
        return new ObjectStoreException(ErrorCode.EIO, "malformed metadata: " + what + " " + one + " " + other);
    }

    private static void putShort(byte[] out, int at, int value) {
        out[at] = (byte) value;
        out[at + 1] = (byte) (value >>> 8);
    }

    private static int getShort(byte[] in, int at) {
        return (in[at] & 0xff) | (in[at + 1] & 0xff) << 8;
    }

    private static void putInt(byte[] out, int at, int value) {
        putShort(out, at, value);
        putShort(out, at + 2, value >>> 16);
    }

    private static int getInt(byte[] in, int at) {
        return getShort(in, at) | getShort(in, at + 2) << 16;
    }

    @Override
    public String toString() {
        return "chunk " + number + " of nid " + nid + ": " + Arrays.toString(Arrays.copyOf(blocks, end()));
    }
}
