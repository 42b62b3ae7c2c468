package org.ustore.engine.meta;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.objectstore.ByteString;

/** Appends little-endian values to block-aligned memory that grows as needed. Used by one thread at a time. */
public final class ByteWriter {
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MemorySegment memory;
    private long size;

    /** Starts with room for {@code bytes}. */
    public ByteWriter(long bytes) {
        this.memory = AlignedBuffers.allocate(bytes);
    }

    /** Bytes written so far. */
    public long size() {
        return size;
    }

    /** Room before it must grow, in bytes. */
    public long capacity() {
        return memory.byteSize();
    }

    /** Goes back (or, over stale bytes, forward) to {@code newSize} bytes. */
    public void truncate(long newSize) {
        ensure(newSize - size);
        size = newSize;
    }

    /** The memory, whole; changes when it grows. */
    public MemorySegment memory() {
        return memory;
    }

    /** Appends one byte. */
    public void putByte(int value) {
        ensure(1);
        memory.set(ValueLayout.JAVA_BYTE, size, (byte) value);
        size++;
    }

    /** Appends four bytes. */
    public void putInt(int value) {
        ensure(4);
        memory.set(INT, size, value);
        size += 4;
    }

    /** Overwrites four bytes at {@code position}. */
    public void setInt(long position, int value) {
        memory.set(INT, position, value);
    }

    /** Overwrites eight bytes at {@code position}. */
    public void setLong(long position, long value) {
        memory.set(LONG, position, value);
    }

    /** Appends eight bytes. */
    public void putLong(long value) {
        ensure(8);
        memory.set(LONG, size, value);
        size += 8;
    }

    /** Appends a length of four bytes and the bytes. */
    public void putString(ByteString value) {
        putInt(value.length());
        ensure(value.length());
        value.copyTo(memory, size);
        size += value.length();
    }

    /** Appends {@code length} bytes of {@code source}. */
    public void putBytes(MemorySegment source, long offset, long length) {
        ensure(length);
        MemorySegment.copy(source, offset, memory, size, length);
        size += length;
    }

    /** Appends zeros up to a multiple of {@code unit} bytes. */
    public void padTo(int unit) {
        long padded = (size + unit - 1) / unit * unit;
        ensure(padded - size);
        memory.asSlice(size, padded - size).fill((byte) 0);
        size = padded;
    }

    private void ensure(long more) {
        long needed = size + more;
        if (needed > memory.byteSize()) {
            MemorySegment larger = AlignedBuffers.allocate(Math.max(needed, memory.byteSize() * 2));
            MemorySegment.copy(memory, 0, larger, 0, size);
            memory = larger;
        }
    }
}
