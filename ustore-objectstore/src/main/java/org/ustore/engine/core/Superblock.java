package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The root of everything on the device. There are two copies, in blocks 0 and 1, written one after the other with a flush
 * between; the valid one of the higher sequence counts.
 *
 * <pre>
 *    0  magic "UStoreSB"             8     48  total blocks          u32   72  log generation     u64
 *    8  format version              u32    52  first log block       u32   80  log position       u64
 *   12  incompatible feature flags  u32    56  log blocks            u32   88  next batch         u64
 *   16  state: bit 0 = clean        u32    60  zero                  u32   96  records in root    u64
 *   20  block size                  u32    64  zero                  u32  104  metadata root       56
 *   24  fsid                        16     68  zero                  u32  160  zero up to 4092
 *   40  sequence                    u64                                  4092  CRC-32C of 0..4091 u32
 * </pre>
 *
 * @param fsid identity of the store
 * @param sequence number of this superblock, from 1
 * @param clean whether the log holds nothing that the metadata tree does not
 * @param totalBlocks blocks of the device in use by the store
 * @param logFirstBlock first block of the log
 * @param logBlocks length of the log
 * @param generation tag of the log's batches, another one at each mount
 * @param logPosition where in the log replay starts, in blocks since mkfs; the ring's block is the remainder
 * @param nextBatch number of the batch expected there
 * @param recordSequence the tree holds what all records up to this one say
 * @param root the metadata tree
 */
record Superblock(
        UUID fsid,
        long sequence,
        boolean clean,
        int totalBlocks,
        int logFirstBlock,
        int logBlocks,
        long generation,
        long logPosition,
        long nextBatch,
        long recordSequence,
        RootRef root) {

    /** Number of copies, one block each from block 0. */
    static final int COPIES = 2;

    static final int BYTES = BlockDevice.BLOCK_BYTES;

    private static final byte[] MAGIC = {'U', 'S', 't', 'o', 'r', 'e', 'S', 'B'};
    private static final int FORMAT_VERSION = 2;
    private static final int KNOWN_FLAGS = 0;
    private static final int STATE_CLEAN = 1;
    private static final int ROOT_OFFSET = 104;
    private static final int CHECKSUM_OFFSET = BYTES - 4;

    /** The same with another tree. */
    Superblock withRoot(RootRef newRoot) {
        return new Superblock(
                fsid,
                sequence,
                clean,
                totalBlocks,
                logFirstBlock,
                logBlocks,
                generation,
                logPosition,
                nextBatch,
                recordSequence,
                newRoot);
    }

    /** Writes the block at the start of {@code out}, a cleared little-endian buffer of one block. */
    void encode(ByteBuffer out) {
        for (int i = 0; i < BYTES; i += 8) {
            out.putLong(i, 0);
        }
        out.put(0, MAGIC)
                .putInt(8, FORMAT_VERSION)
                .putInt(12, KNOWN_FLAGS)
                .putInt(16, clean ? STATE_CLEAN : 0)
                .putInt(20, BlockDevice.BLOCK_BYTES)
                .putLong(24, fsid.getMostSignificantBits())
                .putLong(32, fsid.getLeastSignificantBits())
                .putLong(40, sequence)
                .putInt(48, totalBlocks)
                .putInt(52, logFirstBlock)
                .putInt(56, logBlocks)
                .putLong(72, generation)
                .putLong(80, logPosition)
                .putLong(88, nextBatch)
                .putLong(96, recordSequence);
        root.encode(MemorySegment.ofBuffer(out.duplicate().clear()), ROOT_OFFSET);
        out.putInt(CHECKSUM_OFFSET, Checksum.of(out, 0, CHECKSUM_OFFSET));
    }

    /** Whether the block claims to be a superblock, valid or not. */
    static boolean hasMagic(ByteBuffer in) {
        byte[] magic = new byte[MAGIC.length];
        in.get(0, magic);
        return Arrays.equals(magic, MAGIC);
    }

    /**
     * Reads a block.
     *
     * @throws ObjectStoreException {@code EIO} if it is not a valid superblock, {@code EOPNOTSUPP} if it is one of a
     *     later format
     */
    static Superblock decode(ByteBuffer in) {
        if (!hasMagic(in)) {
            throw new ObjectStoreException(ErrorCode.EIO, "not a superblock: no magic");
        }
        int found = Checksum.of(in, 0, CHECKSUM_OFFSET);
        if (found != in.getInt(CHECKSUM_OFFSET)) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    String.format("superblock checksum: expected=%08x found=%08x", in.getInt(CHECKSUM_OFFSET), found));
        }
        int version = in.getInt(8);
        int unknownFlags = in.getInt(12) & ~KNOWN_FLAGS;
        if (version != FORMAT_VERSION || unknownFlags != 0 || in.getInt(20) != BlockDevice.BLOCK_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EOPNOTSUPP,
                    "store of another format: version=" + version + " (known: " + FORMAT_VERSION
                            + ") unknown feature flags=0x"
                            + Integer.toHexString(unknownFlags) + " block size=" + in.getInt(20)
                            + "; use the release that made it");
        }
        return new Superblock(
                new UUID(in.getLong(24), in.getLong(32)),
                in.getLong(40),
                (in.getInt(16) & STATE_CLEAN) != 0,
                in.getInt(48),
                in.getInt(52),
                in.getInt(56),
                in.getLong(72),
                in.getLong(80),
                in.getLong(88),
                in.getLong(96),
                RootRef.decode(MemorySegment.ofBuffer(in.duplicate().clear()), ROOT_OFFSET));
    }
}
