package org.ustore.engine.device;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C (Castagnoli), as on every structure and block of the device. Safe for use by any thread. */
public final class Checksum {
    private Checksum() {}

    /** Of {@code length} bytes from {@code offset}, whatever the buffer's position and limit; it is not changed. */
    public static int of(ByteBuffer buffer, int offset, int length) {
        CRC32C crc = new CRC32C();
        ByteBuffer view = buffer.duplicate();
        crc.update(view.limit(offset + length).position(offset));
        return (int) crc.getValue();
    }

    /** Of the first {@code head} bytes and then {@code length} bytes from {@code offset}. */
    public static int of(MemorySegment segment, long head, long offset, long length) {
        CRC32C crc = new CRC32C();
        crc.update(segment.asSlice(0, head).asByteBuffer());
        crc.update(segment.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }

    /** Of {@code length} bytes from {@code offset}. */
    public static int of(MemorySegment segment, long offset, long length) {
        CRC32C crc = new CRC32C();
        crc.update(segment.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }
}
