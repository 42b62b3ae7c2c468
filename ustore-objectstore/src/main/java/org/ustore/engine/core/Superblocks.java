package org.ustore.engine.core;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Reads and writes the two copies of the superblock. */
final class Superblocks {
    private static final System.Logger LOG = System.getLogger(Superblocks.class.getName());

    private Superblocks() {}

    /**
     * The newest valid copy.
     *
     * @throws ObjectStoreException {@code EINVAL} if there is no store, {@code EIO} if both copies are damaged,
     *     {@code EOPNOTSUPP} if the store is of a later format
     */
    static Superblock read(BlockDevice device) {
        @Nullable Superblock newest = null;
        @Nullable ObjectStoreException damage = null;
        boolean any = false;
        for (int copy = 0; copy < Superblock.COPIES; copy++) {
            ByteBuffer block = readBlock(device, copy);
            any |= Superblock.hasMagic(block);
            try {
                Superblock found = Superblock.decode(block);
                if (newest == null || found.sequence() > newest.sequence()) {
                    newest = found;
                }
            } catch (ObjectStoreException e) {
                if (e.code() == ErrorCode.EOPNOTSUPP) {
                    throw e;
                }
                damage = e;
            }
        }
        if (newest != null) {
            if (damage != null) {
                LOG.log(Level.WARNING, "{0}: one copy of the superblock is damaged, using the other", device.name());
            }
            return checked(device, newest);
        }
        if (!any) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "no UStore on " + device.name() + "; make one first (ceph-osd --mkfs)");
        }
        throw new ObjectStoreException(
                ErrorCode.EIO, "both copies of the superblock of " + device.name() + " are damaged", damage);
    }

    private static Superblock checked(BlockDevice device, Superblock found) {
        long blocks = device.sizeBytes() / BlockDevice.BLOCK_BYTES;
        if (found.totalBlocks() > blocks) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    device.name() + " has shrunk: store blocks=" + found.totalBlocks() + " device blocks=" + blocks
                            + "; restore its size");
        }
        return found;
    }

    /** Whether either copy carries the magic. */
    static boolean present(BlockDevice device) {
        return Superblock.hasMagic(readBlock(device, 0)) || Superblock.hasMagic(readBlock(device, 1));
    }

    /** Makes {@code superblock} durable: one copy after the other, so that a torn one leaves the other. */
    static void write(BlockDevice device, Superblock superblock) {
        ByteBuffer block = AlignedBuffers.allocateBuffer(Superblock.BYTES);
        superblock.encode(block);
        for (int copy = 0; copy < Superblock.COPIES; copy++) {
            device.write(block.clear(), (long) copy * Superblock.BYTES);
            device.flush();
        }
    }

    private static ByteBuffer readBlock(BlockDevice device, int copy) {
        ByteBuffer block = AlignedBuffers.allocateBuffer(Superblock.BYTES);
        device.read(block, (long) copy * Superblock.BYTES);
        return block.clear();
    }
}
