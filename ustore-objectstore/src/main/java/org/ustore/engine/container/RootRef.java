package org.ustore.engine.container;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.ustore.engine.device.Checksum;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Where a checkpoint lies: what a superblock holds of a metadata container. Little-endian, 56 bytes:
 *
 * <pre>
 *    0  format version   u32       24  page CRC-32C    u32       40  generation      u64
 *    4  height           u32       28  zero            u32       48  zero            u32
 *    8  block            u64       32  entries         u64       52  CRC of 0..51    u32
 *   16  blocks           u32
 *   20  zero             u32
 * </pre>
 *
 * @param block first block of the root page; 0 for a store that never had a checkpoint
 * @param blocks length of the root page in blocks
 * @param checksum CRC-32C of the root page, which holds those of its children, and so on down
 * @param height number of levels, 1 if the root is a leaf
 * @param entries number of keys
 * @param generation number of the checkpoint, from 1
 */
public record RootRef(long block, int blocks, int checksum, int height, long entries, long generation) {
    /** Bytes of the encoding. */
    public static final int BYTES = 56;

    /** An empty store. */
    public static final RootRef EMPTY = new RootRef(0, 0, 0, 0, 0, 0);

    private static final int FORMAT_VERSION = 1;
    private static final int CHECKSUM_OFFSET = BYTES - 4;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Writes {@link #BYTES} bytes at {@code offset}. */
    public void encode(MemorySegment out, long offset) {
        MemorySegment at = out.asSlice(offset, BYTES);
        at.fill((byte) 0);
        at.set(INT, 0, FORMAT_VERSION);
        at.set(INT, 4, height);
        at.set(LONG, 8, block);
        at.set(INT, 16, blocks);
        at.set(INT, 24, checksum);
        at.set(LONG, 32, entries);
        at.set(LONG, 40, generation);
        at.set(INT, CHECKSUM_OFFSET, Checksum.of(at, 0, CHECKSUM_OFFSET));
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws ObjectStoreException {@code EIO} if it is damaged, {@code EOPNOTSUPP} if it is of another format
     */
    public static RootRef decode(MemorySegment in, long offset) {
        MemorySegment at = in.asSlice(offset, BYTES);
        int found = Checksum.of(at, 0, CHECKSUM_OFFSET);
        if (found != at.get(INT, CHECKSUM_OFFSET)) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    String.format(
                            "metadata root checksum: expected=%08x found=%08x", at.get(INT, CHECKSUM_OFFSET), found));
        }
        if (at.get(INT, 0) != FORMAT_VERSION) {
            throw new ObjectStoreException(
                    ErrorCode.EOPNOTSUPP,
                    "metadata root of another format: version=" + at.get(INT, 0) + " (known: " + FORMAT_VERSION
                            + "); use the release that made it");
        }
        return new RootRef(
                at.get(LONG, 8), at.get(INT, 16), at.get(INT, 24), at.get(INT, 4), at.get(LONG, 32), at.get(LONG, 40));
    }
}
