package org.ustore.engine.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Memory for direct I/O: starts at a block boundary, little-endian.
 *
 * <p>An instance is a pool of equal buffers for I/O that cannot go to the caller's own memory. It keeps at most
 * {@code capacity} of them; beyond that they are made and dropped. Safe for use by any thread.
 */
public final class AlignedBuffers {
    private final int bufferBytes;
    private final ArrayBlockingQueue<ByteBuffer> idle;

    /** A pool of buffers of {@code bufferBytes} bytes, a multiple of the block size, keeping {@code capacity} of them. */
    public AlignedBuffers(int bufferBytes, int capacity) {
        this.bufferBytes = bufferBytes;
        this.idle = new ArrayBlockingQueue<>(capacity);
    }

    /** Memory of {@code bytes} bytes, zeroed, freed when nothing refers to it any more. */
    public static MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, BlockDevice.BLOCK_BYTES);
    }

    /** As {@link #allocate}, as a buffer. */
    public static ByteBuffer allocateBuffer(int bytes) {
        return allocate(bytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether {@code segment} can be read or written directly from its first byte. */
    public static boolean isAligned(MemorySegment segment) {
        return segment.isNative() && (segment.address() & (BlockDevice.BLOCK_BYTES - 1)) == 0;
    }

    /** Size of the pool's buffers in bytes. */
    public int bufferBytes() {
        return bufferBytes;
    }

    /** A cleared buffer with any content. */
    public ByteBuffer take() {
        @Nullable ByteBuffer buffer = idle.poll();
        return buffer == null ? allocateBuffer(bufferBytes) : buffer.clear();
    }

    /** Gives back what {@link #take} gave. */
    public void give(ByteBuffer buffer) {
        // A full pool drops the buffer; its memory goes with it.
        boolean _ = idle.offer(buffer);
    }
}
