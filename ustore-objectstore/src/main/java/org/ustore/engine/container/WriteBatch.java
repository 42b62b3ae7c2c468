package org.ustore.engine.container;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Changes that a {@link MetadataStore} makes together or not at all, in the order they were added; in the very bytes that
 * a log keeps. Little-endian:
 *
 * <pre>
 *    0  format version  u32 |  4  operations  u32 |  8  bytes of the operations  u32
 *   12  operations, one after the other:
 *         1  put           key bytes u16, value bytes u32, key, value
 *         2  delete        key bytes u16, key
 *         3  delete range  from bytes u16, to bytes u16, from, to
 *         4  patch         key bytes u16, offset u32, bytes u32, key, bytes
 *    n  CRC-32C of 0..n-1   u32
 * </pre>
 *
 * <p>Used by one thread at a time. An instance may be cleared and filled again.
 */
public final class WriteBatch {
    /** Most bytes of an encoded batch. */
    public static final int MAX_BYTES = 1 << 30;

    private static final int FORMAT_VERSION = 1;
    private static final int HEADER_BYTES = 12;
    private static final int TRAILER_BYTES = 4;

    private static final byte PUT = 1;
    private static final byte DELETE = 2;
    private static final byte DELETE_RANGE = 3;
    private static final byte PATCH = 4;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int size;
    private int operations;

    /** An empty batch. */
    public WriteBatch() {
        this(new byte[256], HEADER_BYTES, 0);
    }

    private WriteBatch(byte[] bytes, int size, int operations) {
        this.bytes = bytes;
        this.size = size;
        this.operations = operations;
    }

    /** What a batch consists of, for those who carry it out. Offsets and lengths are in bytes, within {@code bytes}. */
    public interface Target {
        /** The key gets a value. */
        void put(byte[] bytes, int key, int keyLength, int value, int valueLength);

        /** The key goes, if it is there. */
        void delete(byte[] bytes, int key, int keyLength);

        /** All keys from {@code from} on and before {@code to} go. */
        void deleteRange(byte[] bytes, int from, int fromLength, int to, int toLength);

        /** A part of a value is replaced, see {@link WriteBatch#patch}. */
        void patch(byte[] bytes, int key, int keyLength, int offset, int data, int dataLength);
    }

    /** Number of operations. */
    public int operations() {
        return operations;
    }

    /** Whether there is nothing to do. */
    public boolean isEmpty() {
        return operations == 0;
    }

    /** Takes all operations out. */
    public void clear() {
        size = HEADER_BYTES;
        operations = 0;
    }

    /**
     * Gives {@code key} the value {@code value}.
     *
     * @throws ObjectStoreException {@code EINVAL} if one is longer than a {@link MetadataStore} takes
     */
    public WriteBatch put(byte[] key, byte[] value) {
        checkKey(key);
        checkValue(value.length);
        int at = start(PUT, 6 + key.length + value.length);
        SHORT.set(bytes, at, (short) key.length);
        INT.set(bytes, at + 2, value.length);
        append(at + 6, key, value);
        return this;
    }

    /** Removes {@code key} if it is there; {@code EINVAL} as {@link #put}. */
    public WriteBatch delete(byte[] key) {
        checkKey(key);
        int at = start(DELETE, 2 + key.length);
        SHORT.set(bytes, at, (short) key.length);
        System.arraycopy(key, 0, bytes, at + 2, key.length);
        return this;
    }

    /** Removes all keys from {@code from} on and before {@code to}; none if the range is empty or turned round. */
    public WriteBatch deleteRange(byte[] from, byte[] to) {
        checkKey(from);
        checkKey(to);
        int at = start(DELETE_RANGE, 4 + from.length + to.length);
        SHORT.set(bytes, at, (short) from.length);
        SHORT.set(bytes, at + 2, (short) to.length);
        append(at + 4, from, to);
        return this;
    }

    /**
     * Replaces the bytes of a value from {@code offset} on by {@code data}. The value grows if it ends before, with zeros
     * between; an absent key counts as an empty value.
     *
     * @throws ObjectStoreException {@code EINVAL} if the value would be longer than a {@link MetadataStore} takes
     */
    public WriteBatch patch(byte[] key, int offset, byte[] data) {
        checkKey(key);
        checkValue(offset < 0 ? offset : (long) offset + data.length);
        int at = start(PATCH, 10 + key.length + data.length);
        SHORT.set(bytes, at, (short) key.length);
        INT.set(bytes, at + 2, offset);
        INT.set(bytes, at + 6, data.length);
        append(at + 10, key, data);
        return this;
    }

    private static void checkKey(byte[] key) {
        if (key.length > MetadataStore.MAX_KEY_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "key bytes=" + key.length + " limit=" + MetadataStore.MAX_KEY_BYTES);
        }
    }

    private static void checkValue(long length) {
        if (length < 0 || length > MetadataStore.MAX_VALUE_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "value bytes=" + length + " limit=" + MetadataStore.MAX_VALUE_BYTES);
        }
    }

    /** Makes room for an operation and returns where its first field goes. */
    private int start(byte type, int length) {
        long needed = (long) size + 1 + length + TRAILER_BYTES;
        if (needed > MAX_BYTES) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "batch bytes=" + needed + " limit=" + MAX_BYTES);
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, 2L * bytes.length)));
        }
        int at = size + 1;
        bytes[size] = type;
        size += 1 + length;
        operations++;
        return at;
    }

    private void append(int at, byte[] first, byte[] second) {
        System.arraycopy(first, 0, bytes, at, first.length);
        System.arraycopy(second, 0, bytes, at + first.length, second.length);
    }

    /** Hands the operations to {@code target}, one after the other. */
    public void forEach(Target target) {
        byte[] in = bytes;
        for (int at = HEADER_BYTES; at < size; ) {
            byte type = in[at++];
            int first = Short.toUnsignedInt((short) SHORT.get(in, at));
            switch (type) {
                case PUT -> {
                    int value = (int) INT.get(in, at + 2);
                    target.put(in, at + 6, first, at + 6 + first, value);
                    at += 6 + first + value;
                }
                case DELETE -> {
                    target.delete(in, at + 2, first);
                    at += 2 + first;
                }
                case DELETE_RANGE -> {
                    int second = Short.toUnsignedInt((short) SHORT.get(in, at + 2));
                    target.deleteRange(in, at + 4, first, at + 4 + first, second);
                    at += 4 + first + second;
                }
                default -> {
                    int data = (int) INT.get(in, at + 6);
                    target.patch(in, at + 10, first, (int) INT.get(in, at + 2), at + 10 + first, data);
                    at += 10 + first + data;
                }
            }
        }
    }

    /** Bytes of the encoding. */
    public int encodedBytes() {
        return size + TRAILER_BYTES;
    }

    /** Writes {@link #encodedBytes} bytes at {@code offset}. */
    public void encode(MemorySegment out, long offset) {
        INT.set(bytes, 0, FORMAT_VERSION);
        INT.set(bytes, 4, operations);
        INT.set(bytes, 8, size - HEADER_BYTES);
        INT.set(bytes, size, checksum(bytes, size));
        MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, offset, size + TRAILER_BYTES);
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /**
     * Reads a batch that takes exactly {@code length} bytes at {@code offset}, and checks all of it.
     *
     * @throws ObjectStoreException {@code EIO} if it is cut off or damaged, {@code EOPNOTSUPP} if it is of another format
     */
    public static WriteBatch decode(MemorySegment in, long offset, long length) {
        if (length < HEADER_BYTES + TRAILER_BYTES || length > MAX_BYTES || length > in.byteSize() - offset) {
            throw corrupt("bytes=" + length + " available=" + (in.byteSize() - offset));
        }
        byte[] bytes = in.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        int size = bytes.length - TRAILER_BYTES;
        int expected = (int) INT.get(bytes, size);
        int found = checksum(bytes, size);
        if (expected != found) {
            throw corrupt(String.format("checksum expected=%08x found=%08x", expected, found));
        }
        int version = (int) INT.get(bytes, 0);
        if (version != FORMAT_VERSION) {
            throw new ObjectStoreException(
                    ErrorCode.EOPNOTSUPP,
                    "metadata batch of another format: version=" + version + " (known: " + FORMAT_VERSION
                            + "); use the release that made it");
        }
        WriteBatch batch = new WriteBatch(bytes, size, (int) INT.get(bytes, 4));
        batch.check();
        return batch;
    }

    /** Goes over all operations of a batch from outside, so that {@link #forEach} need not look. */
    private void check() {
        int found = 0;
        long at = HEADER_BYTES;
        while (at < size) {
            at += checkOperation((int) at);
            found++;
        }
        if (at != size || found != operations || (int) INT.get(bytes, 8) != size - HEADER_BYTES) {
            throw corrupt("end=" + at + " of " + size + " operations=" + operations + " found=" + found);
        }
    }

    private long checkOperation(int at) {
        byte type = bytes[at];
        int fields = switch (type) {
            case PUT -> 7;
            case DELETE -> 3;
            case DELETE_RANGE -> 5;
            case PATCH -> 11;
            default -> throw corrupt("operation=" + type + " at byte " + at);
        };
        if (at + fields > size) {
            throw corrupt("cut off at byte " + at);
        }
        int key = Short.toUnsignedInt((short) SHORT.get(bytes, at + 1));
        long start = type == PATCH ? Integer.toUnsignedLong((int) INT.get(bytes, at + 3)) : 0;
        long second = switch (type) {
            case PUT -> Integer.toUnsignedLong((int) INT.get(bytes, at + 3));
            case DELETE_RANGE -> Short.toUnsignedInt((short) SHORT.get(bytes, at + 3));
            case PATCH -> Integer.toUnsignedLong((int) INT.get(bytes, at + 7));
            default -> 0;
        };
        long secondLimit = type == DELETE_RANGE ? MetadataStore.MAX_KEY_BYTES : MetadataStore.MAX_VALUE_BYTES;
        if (key > MetadataStore.MAX_KEY_BYTES || start + second > secondLimit) {
            throw corrupt("lengths " + key + " and " + (start + second) + " at byte " + at);
        }
        return fields + key + second;
    }

    private static ObjectStoreException corrupt(String what) {
        return new ObjectStoreException(ErrorCode.EIO, "malformed metadata batch: " + what);
    }
}
