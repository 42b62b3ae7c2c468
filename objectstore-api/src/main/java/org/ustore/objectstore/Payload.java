package org.ustore.objectstore;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The data of a write: one or more pieces of memory, read as one run of bytes.
 *
 * <p>It is a view. The memory belongs to whoever queued the transaction and may be gone as soon as
 * {@link ObjectStore#queueTransactions} returns; a store copies what it keeps.
 */
public final class Payload {
    /** No data. */
    public static final Payload EMPTY = new Payload(List.of(), 0);

    private final List<MemorySegment> segments;
    private final long sizeBytes;

    private Payload(List<MemorySegment> segments, long sizeBytes) {
        this.segments = segments;
        this.sizeBytes = sizeBytes;
    }

    /** A view of the array; no copy. */
    public static Payload of(byte[] bytes) {
        return of(List.of(MemorySegment.ofArray(bytes)));
    }

    /** A view of the segments, in order; no copy. */
    public static Payload of(List<MemorySegment> segments) {
        long size = 0;
        for (MemorySegment segment : segments) {
            size += segment.byteSize();
        }
        return size == 0 ? EMPTY : new Payload(List.copyOf(segments), size);
    }

    /** Total length in bytes. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** The pieces, in order. */
    public List<MemorySegment> segments() {
        return segments;
    }

    /**
     * Copies {@code length} bytes from {@code offset} to {@code target} at {@code targetOffset} (all in bytes).
     *
     * @throws IndexOutOfBoundsException if the range lies outside the payload or the target
     */
    public void copyTo(long offset, MemorySegment target, long targetOffset, long length) {
        if (offset < 0 || length < 0 || length > sizeBytes - offset) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + " length=" + length + " outside payload of " + sizeBytes + " bytes");
        }
        long skip = offset;
        long done = 0;
        for (MemorySegment segment : segments) {
            if (done == length) {
                return;
            }
            long size = segment.byteSize();
            if (skip >= size) {
                skip -= size;
                continue;
            }
            long n = Math.min(size - skip, length - done);
            MemorySegment.copy(segment, skip, target, targetOffset + done, n);
            done += n;
            skip = 0;
        }
    }

    /** A copy of all bytes, at most 2 GiB - 1. */
    public byte[] toByteArray() {
        byte[] bytes = new byte[Math.toIntExact(sizeBytes)];
        copyTo(0, MemorySegment.ofArray(bytes), 0, sizeBytes);
        return bytes;
    }

    @Override
    public String toString() {
        return sizeBytes + " bytes in " + segments.size() + " pieces";
    }
}
