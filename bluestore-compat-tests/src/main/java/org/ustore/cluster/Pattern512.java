package org.ustore.cluster;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Content that tells what it is: every 512-byte sector is a function of its number and of the sequence number of its write.
 *
 * <pre>
 * 0        8        16                        512
 * | sector |  seq   | SplitMix64(sector, seq) |      little-endian; seq 0 = never written, all zeros
 * </pre>
 */
final class Pattern512 {
    static final int SECTOR = 512;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    // SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private Pattern512() {}

    static void fill(byte[] buffer, int offset, long sector, long seq) {
        LONGS.set(buffer, offset, sector);
        LONGS.set(buffer, offset + 8, seq);
        long state = sector * 31 + seq;
        for (int i = 16; i < SECTOR; i += 8) {
            state += GAMMA;
            LONGS.set(buffer, offset + i, mix(state));
        }
    }

    /** Null if the sector holds what write {@code seq} left, otherwise what is wrong with it. */
    static @Nullable String difference(byte[] buffer, int offset, long sector, long seq) {
        byte[] expected = new byte[SECTOR];
        if (seq != 0) {
            fill(expected, 0, sector, seq);
        }
        int at = Arrays.mismatch(expected, 0, SECTOR, buffer, offset, offset + SECTOR);
        if (at < 0) {
            return null;
        }
        return "sector=" + sector + " expected_seq=" + seq + " found_sector=" + LONGS.get(buffer, offset)
                + " found_seq=" + LONGS.get(buffer, offset + 8) + " first_different_byte=" + at;
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
