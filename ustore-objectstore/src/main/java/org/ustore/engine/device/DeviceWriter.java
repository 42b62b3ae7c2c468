package org.ustore.engine.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Writes to a device, several at the same time, and throws the first error at {@link #finish}. Belongs to one thread at a
 * time, handed over only when finished.
 *
 * <p>It has a few buffers of its own for data that has to be copied: {@link #take} one, fill it, {@link #write} it, and do
 * not touch it again.
 */
public final class DeviceWriter implements AutoCloseable {
    /** A write of this size is started at once, smaller ones when something waits. */
    private static final long EAGER_BYTES = 64 << 10;

    private static final int NO_BUFFER = BlockDevice.BLOCK_BYTES - 1;
    private static final int NONE = -1;

    private final BlockDevice device;
    private final IoQueue queue;
    private final @Nullable MemorySegment[] buffers;
    private final long bufferBytes;
    /** Numbers of the buffers not in flight. */
    private final int[] idle;

    private int idleBuffers;
    private int taken = NONE;
    private int errno;
    private long failedPosition;

    /**
     * Opens a queue of {@code depth} requests on {@code device}; {@code buffers} of {@code bufferBytes} bytes are made when
     * first needed.
     */
    public DeviceWriter(BlockDevice device, int depth, int buffers, int bufferBytes) {
        assert buffers < NO_BUFFER : "tokens have no room for more";
        this.device = device;
        this.queue = device.openQueue(depth, this::completed);
        this.buffers = new @Nullable MemorySegment[buffers];
        this.bufferBytes = bufferBytes;
        this.idle = new int[buffers];
        for (int i = 0; i < buffers; i++) {
            // From the end, so that the first ones are used again and the others perhaps never made.
            idle[i] = buffers - 1 - i;
        }
        this.idleBuffers = buffers;
    }

    /** The device written to. */
    public BlockDevice device() {
        return device;
    }

    /** A buffer with any content, waited for if all are in flight. It stays the one until it is written. */
    public MemorySegment take() {
        if (taken == NONE) {
            while (idleBuffers == 0) {
                int _ = queue.await();
            }
            taken = idle[--idleBuffers];
        }
        MemorySegment buffer = buffers[taken];
        if (buffer == null) {
            buffer = AlignedBuffers.allocate(bufferBytes);
            buffers[taken] = buffer;
        }
        return buffer;
    }

    /** Writes the first {@code bytes} bytes of the buffer taken at {@code position}. */
    public void writeTaken(long bytes, long position) {
        MemorySegment buffer = take();
        int number = taken;
        taken = NONE;
        write(buffer.asSlice(0, bytes), position, number);
    }

    /** Writes memory that does not change before {@link #finish}. */
    public void write(MemorySegment source, long position) {
        write(source, position, NO_BUFFER);
    }

    private void write(MemorySegment source, long position, int buffer) {
        // Positions are multiples of the block size, so the buffer's number fits below.
        queue.write(source, position, position + buffer);
        if (source.byteSize() >= EAGER_BYTES) {
            queue.submit();
        }
    }

    private void completed(long token, int result) {
        int buffer = (int) (token & (BlockDevice.BLOCK_BYTES - 1));
        if (buffer != NO_BUFFER) {
            idle[idleBuffers++] = buffer;
        }
        if (result != 0 && errno == 0) {
            errno = result;
            failedPosition = token - buffer;
        }
    }

    /**
     * Waits for all writes; whatever happens, none is in flight afterwards.
     *
     * @throws ObjectStoreException {@code EIO} if one of them, since the last call, failed
     */
    public void finish() {
        queue.drain();
        int failed = errno;
        errno = 0;
        if (failed != 0) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    "write of " + device.name() + " failed: position=" + failedPosition + " "
                            + Kernel.describe(failed));
        }
    }

    /** Finishes, then makes everything written durable. */
    public void flush() {
        finish();
        queue.flush(NO_BUFFER);
        finish();
    }

    /** Finishes, then writes {@code source} and makes it, and everything written before, durable. */
    public void writeDurably(MemorySegment source, long position) {
        finish();
        queue.writeAndFlush(source, position, position + NO_BUFFER);
        finish();
    }

    /** Waits for all writes, whether they fail or not. The device stays open. */
    @Override
    public void close() {
        queue.close();
    }
}
