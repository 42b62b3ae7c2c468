package org.ustore.engine.meta;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Reads what a {@link ByteWriter} wrote, from a part of memory it never leaves: reading past its end throws
 * {@code EIO}.
 */
public final class ByteReader {
    private final MemorySegment memory;
    private final long end;
    private long position;

    /** Reads from {@code start} up to {@code end}. */
    public ByteReader(MemorySegment memory, long start, long end) {
        this.memory = memory;
        this.position = start;
        this.end = end;
    }

    /** Bytes left. */
    public long remaining() {
        return end - position;
    }

    /** Index of the next byte. */
    public long position() {
        return position;
    }

    /** The memory read from. */
    public MemorySegment memory() {
        return memory;
    }

    /** The next byte, 0 to 255. */
    public int getByte() {
        return memory.get(ValueLayout.JAVA_BYTE, advance(1)) & 0xff;
    }

    /** The next four bytes. */
    public int getInt() {
        return memory.get(ByteWriter.INT, advance(4));
    }

    /** The next eight bytes. */
    public long getLong() {
        return memory.get(ByteWriter.LONG, advance(8));
    }

    /** A number of things that take at least {@code unitBytes} bytes each, checked against what is left. */
    public int getCount(int unitBytes) {
        int count = getInt();
        if (count < 0 || (long) count * unitBytes > remaining()) {
            throw corrupt("count=" + count + " of " + unitBytes + " bytes each");
        }
        return count;
    }

    /** A string with its length before it. */
    public ByteString getString() {
        int length = getCount(1);
        return ByteString.copyOf(memory.asSlice(advance(length), length));
    }

    /** Goes over {@code length} bytes and returns where they start. */
    public long advance(long length) {
        if (length < 0 || length > remaining()) {
            throw corrupt("length=" + length);
        }
        long at = position;
        position += length;
        return at;
    }

    private ObjectStoreException corrupt(String what) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                "malformed metadata: " + what + " at byte " + position + " with " + remaining() + " left");
    }
}
