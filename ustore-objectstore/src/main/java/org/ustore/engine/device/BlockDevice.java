package org.ustore.engine.device;

import java.nio.ByteBuffer;

/**
 * A device of 4 KiB blocks with a volatile cache: what was written is durable once a later {@link #flush} has returned.
 *
 * <p>Positions and lengths are bytes and multiples of {@link #BLOCK_BYTES}; buffers are direct, start at an address that
 * is one too, and are consumed whole. Safe for use by any thread; overlapping reads and writes are the caller's to avoid.
 * Every method throws {@link org.ustore.objectstore.ObjectStoreException} with {@code EIO} if the device fails. Many
 * requests of one thread at the same time go through a queue.
 */
public interface BlockDevice extends AutoCloseable {
    /** Unit of all I/O, in bytes. */
    int BLOCK_BYTES = 4096;

    /** Size in bytes, a multiple of {@link #BLOCK_BYTES}: what is left of the device beyond is not used. */
    long sizeBytes();

    /** Fills {@code target} from {@code position}. */
    void read(ByteBuffer target, long position);

    /** Writes all of {@code source} at {@code position}; atomic per block at best. */
    void write(ByteBuffer source, long position);

    /** Makes all writes that have returned or completed durable. */
    void flush();

    /**
     * Opens a queue of at most {@code depth} requests, 1 to {@link IoQueue#MAX_DEPTH}, to be closed before the device.
     */
    IoQueue openQueue(int depth, IoCompletion completion);

    /** Lets go of the device without a flush. */
    @Override
    void close();

    /** What it is, for people: a path. */
    String name();

    /** How its queues work, for people. */
    String io();
}
