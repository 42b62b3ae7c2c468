package org.ustore.objectstore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable string of arbitrary bytes: object names, attribute names and values, omap keys and values.
 *
 * <p>Ceph compares all of these byte by byte as unsigned values, which is the natural order here. Safe for use by any
 * thread.
 */
public final class ByteString implements Comparable<ByteString> {
    /** The string of no bytes. */
    public static final ByteString EMPTY = new ByteString(new byte[0]);

    private final byte[] bytes;
    private int hash;

    private ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Copies {@code bytes}. */
    public static ByteString copyOf(byte[] bytes) {
        return wrap(bytes.clone());
    }

    /** Copies the whole of {@code segment}, at most 2 GiB - 1. */
    public static ByteString copyOf(MemorySegment segment) {
        return wrap(segment.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Takes over {@code bytes} without a copy; the caller must never write to the array again. */
    public static ByteString wrap(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new ByteString(bytes);
    }

    /** The UTF-8 bytes of {@code text}. */
    public static ByteString of(String text) {
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Length in bytes. */
    public int length() {
        return bytes.length;
    }

    /** Whether there are no bytes. */
    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** The byte at {@code index}, from 0 to {@code length() - 1}. */
    public byte byteAt(int index) {
        return bytes[index];
    }

    /** A copy of the bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /** A read-only view of the bytes. */
    public MemorySegment asSegment() {
        return MemorySegment.ofArray(bytes).asReadOnly();
    }

    /** Copies all bytes to {@code target} at {@code targetOffset} (in bytes). */
    public void copyTo(MemorySegment target, long targetOffset) {
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, targetOffset, bytes.length);
    }

    /** The bytes read as UTF-8; malformed parts become U+FFFD. */
    public String toUtf8() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(ByteString other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        int h = hash;
        if (h == 0) {
            h = Arrays.hashCode(bytes);
            hash = h;
        }
        return h;
    }

    /** Printable ASCII as it is, everything else as {@code \xNN}; for messages, not for parsing. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            if (b >= ' ' && b < 0x7f && b != '\\') {
                text.append((char) b);
            } else {
                text.append(String.format("\\x%02x", b & 0xff));
            }
        }
        return text.toString();
    }
}
