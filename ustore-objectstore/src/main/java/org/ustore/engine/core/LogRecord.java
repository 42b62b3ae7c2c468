package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A log record: what transactions did to blocks and to the metadata, in the order in which it was done. Each event starts
 * with a byte that says what it is:
 *
 * <pre>
 *  1  inline       first block u32 | blocks u32 | their data     allocated; the data goes to its place with a checkpoint
 *  2  redirected   first block u32 | blocks u32 | CRC-32C u32 of each        allocated; the data is in its place
 *  3  reference    first block u32 | blocks u32                              each is referred to once more
 *  4  dereference  first block u32 | blocks u32                              each is referred to once less
 *  5  batch        bytes u32 | {@link WriteBatch}
 * </pre>
 */
final class LogRecord {
    private static final int INLINE = 1;
    private static final int REDIRECTED = 2;
    private static final int REFERENCE = 3;
    private static final int DEREFERENCE = 4;
    private static final int BATCH = 5;

    private LogRecord() {}

    /** Told what a record holds. Blocks from {@code first} on lie next to each other. */
    interface Target {
        /** Blocks were allocated; their data lies in {@code data} from {@code offset} on. */
        void inline(int first, int count, MemorySegment data, long offset);

        /** Blocks were allocated that hold data of these checksums. */
        void redirected(int first, int[] checksums);

        /** Blocks are referred to once more. */
        void reference(int first, int count);

        /** Blocks are referred to once less. */
        void dereference(int first, int count);

        /** The metadata changed. */
        void batch(WriteBatch batch);
    }

    private static void start(ByteWriter out, int event, int first, int count) {
        out.putByte(event);
        out.putInt(first);
        out.putInt(count);
    }

    static void putInline(ByteWriter out, int first, int count, MemorySegment data, long offset) {
        start(out, INLINE, first, count);
        out.putBytes(data, offset, (long) count * BlockDevice.BLOCK_BYTES);
    }

    static void putRedirected(ByteWriter out, int first, int[] checksums, int from, int count) {
        start(out, REDIRECTED, first, count);
        for (int i = from; i < from + count; i++) {
            out.putInt(checksums[i]);
        }
    }

    static void putReference(ByteWriter out, int first, int count) {
        start(out, REFERENCE, first, count);
    }

    static void putDereference(ByteWriter out, int first, int count) {
        start(out, DEREFERENCE, first, count);
    }

    static void putBatch(ByteWriter out, WriteBatch batch) {
        int bytes = batch.encodedBytes();
        out.putByte(BATCH);
        out.putInt(bytes);
        long at = out.size();
        out.truncate(at + bytes);
        batch.encode(out.memory(), at);
    }

    /**
     * Hands the events to {@code target}.
     *
     * @throws ObjectStoreException {@code EIO} if the record is malformed
     */
    static void decode(ByteReader in, Target target) {
        while (in.remaining() > 0) {
            int event = in.getByte();
            if (event == BATCH) {
                int bytes = in.getCount(1);
                target.batch(WriteBatch.decode(in.memory(), in.advance(bytes), bytes));
                continue;
            }
            int first = in.getInt();
            switch (event) {
                case INLINE -> {
                    int count = in.getCount(BlockDevice.BLOCK_BYTES);
                    target.inline(first, count, in.memory(), in.advance((long) count * BlockDevice.BLOCK_BYTES));
                }
                case REDIRECTED -> {
                    int[] checksums = new int[in.getCount(Integer.BYTES)];
                    for (int i = 0; i < checksums.length; i++) {
                        checksums[i] = in.getInt();
                    }
                    target.redirected(first, checksums);
                }
                case REFERENCE -> target.reference(first, in.getInt());
                case DEREFERENCE -> target.dereference(first, in.getInt());
                default -> throw new ObjectStoreException(ErrorCode.EIO, "malformed log record: event=" + event);
            }
        }
    }
}
