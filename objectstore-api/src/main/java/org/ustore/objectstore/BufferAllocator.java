package org.ustore.objectstore;

import java.lang.foreign.MemorySegment;

/**
 * Supplies the memory a read fills, once its length is known: a store calls it exactly once per read, with the number
 * of bytes it will return.
 */
@FunctionalInterface
public interface BufferAllocator {
    /** A writable segment of exactly {@code bytes} bytes (0 or more), aligned to 4096 if the caller wants direct I/O. */
    MemorySegment allocate(long bytes);
}
