package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.Checksum;

/**
 * The start of a batch of log records: one write, applied as a whole or not at all. The records follow at byte 72, each
 * with its length (u32) before it; zeros fill the last block.
 *
 * <pre>
 *    0  format version  u32 | magic "ULOG"   u32       40  first record     u64
 *    8  generation      u64                            48  durable batch    u64
 *   16  batch           u64                            56  payload bytes    u32 | records        u32
 *   24  position        u64 (blocks since mkfs)        64  payload CRC-32C  u32 | CRC of 0..67   u32
 *   32  zero            u64
 * </pre>
 *
 * @param generation tag of this mount of this store
 * @param batch number of the batch
 * @param position where it lies, in blocks since mkfs
 * @param firstRecord number of its first record
 * @param durableBatch the last batch known to be durable when this one was written
 * @param payloadBytes length of the records
 * @param records number of records
 * @param payloadChecksum CRC-32C of the records
 */
record BatchHeader(
        long generation,
        long batch,
        long position,
        long firstRecord,
        long durableBatch,
        int payloadBytes,
        int records,
        int payloadChecksum) {

    static final int BYTES = 72;

    private static final int FORMAT_VERSION = 1;
    private static final int MAGIC = 0x474f4c55;
    private static final int CHECKSUM_OFFSET = BYTES - 4;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Writes the header at the start of {@code out}. */
    void encode(MemorySegment out) {
        out.set(INT, 0, FORMAT_VERSION);
        out.set(INT, 4, MAGIC);
        out.set(LONG, 8, generation);
        out.set(LONG, 16, batch);
        out.set(LONG, 24, position);
        out.set(LONG, 32, 0);
        out.set(LONG, 40, firstRecord);
        out.set(LONG, 48, durableBatch);
        out.set(INT, 56, payloadBytes);
        out.set(INT, 60, records);
        out.set(INT, 64, payloadChecksum);
        out.set(INT, CHECKSUM_OFFSET, Checksum.of(out, 0, CHECKSUM_OFFSET));
    }

    /** The header at {@code offset}, or null if there is no valid one of this generation. */
    static @Nullable BatchHeader decode(MemorySegment in, long offset, long generation) {
        if (in.get(INT, offset) != FORMAT_VERSION
                || in.get(INT, offset + 4) != MAGIC
                || in.get(LONG, offset + 8) != generation
                || in.get(INT, offset + CHECKSUM_OFFSET) != Checksum.of(in, offset, CHECKSUM_OFFSET)) {
            return null;
        }
        return new BatchHeader(
                generation,
                in.get(LONG, offset + 16),
                in.get(LONG, offset + 24),
                in.get(LONG, offset + 40),
                in.get(LONG, offset + 48),
                in.get(INT, offset + 56),
                in.get(INT, offset + 60),
                in.get(INT, offset + 64));
    }
}
