package org.ustore.engine.device;

import java.nio.ByteBuffer;

/**
 * A device of 4 KiB blocks with a volatile cache: what was written is durable once a later {@link #flush} has returned.
 *
 * <p>Positions and lengths are bytes and multiples of {@link #BLOCK_BYTES}; buffers are direct, start at an address that
 * is one too, and are consumed whole. Safe for use by any thread; overlapping reads and writes are the caller's to avoid.
 * Every method throws {@link org.ustore.objectstore.ObjectStoreException} with {@code EIO} if the device fails.
 */
public interface BlockDevice extends AutoCloseable {
    /** Unit of all I/O, in bytes. */
    int BLOCK_BYTES = 4096;

    /** Size in bytes, a multiple of {@link #BLOCK_BYTES}. */
    long sizeBytes();

    /** Fills {@code target} from {@code position}. */
    void read(ByteBuffer target, long position);

    /** Writes all of {@code source} at {@code position}; atomic per block at best. */
    void write(ByteBuffer source, long position);

    /** Makes all writes that have returned durable. */
    void flush();

    /** Lets go of the device without a flush. */
    @Override
    void close();

    /** What it is, for people: a path. */
    String name();
}
