package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * What the objects of one pool take: the value of the pool's key. Little-endian:
 *
 * <pre>
 *   0  format version u8 | 1  stored bytes u64 | 9  allocated blocks u64 | 17  omap bytes u64
 * </pre>
 */
final class Usage {
    private static final int FORMAT_VERSION = 1;
    private static final int BYTES = 25;

    /** Bytes within objects' ends that are not holes. */
    long storedBytes;
    /** Device blocks of data, shared ones once. A block shared by two pools counts in either, but once in their sum. */
    long allocatedBlocks;
    /** Bytes of omap keys, values and headers. */
    long omapBytes;

    boolean isZero() {
        return storedBytes == 0 && allocatedBlocks == 0 && omapBytes == 0;
    }

    /** Adds {@code other} to this. */
    void add(Usage other) {
        storedBytes += other.storedBytes;
        allocatedBlocks += other.allocatedBlocks;
        omapBytes += other.omapBytes;
    }

    byte[] encode() {
        byte[] out = new byte[BYTES];
        MemorySegment segment = MemorySegment.ofArray(out);
        out[0] = FORMAT_VERSION;
        segment.set(ByteWriter.LONG, 1, storedBytes);
        segment.set(ByteWriter.LONG, 9, allocatedBlocks);
        segment.set(ByteWriter.LONG, 17, omapBytes);
        return out;
    }

    static Usage decode(byte[] value) {
        ByteReader in = new ByteReader(MemorySegment.ofArray(value), 0, value.length);
        int version = in.getByte();
        if (version != FORMAT_VERSION) {
            throw new ObjectStoreException(
                    ErrorCode.EIO, "malformed metadata: usage of version=" + version + " known=" + FORMAT_VERSION);
        }
        Usage usage = new Usage();
        usage.storedBytes = in.getLong();
        usage.allocatedBlocks = in.getLong();
        usage.omapBytes = in.getLong();
        return usage;
    }
}
