package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.shard.Demand;
import org.ustore.engine.shard.Shard;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

/**
 * Writes large data to newly allocated blocks on the caller's thread, before and outside the lock under which the
 * transaction is applied, so that the log record only names the blocks.
 *
 * <p>Which data is large: whole blocks of a write of 64 KiB of them or more; if a group of transactions holds more small
 * data than a record may carry, any whole block.
 */
final class Redirector {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int MIN_BLOCKS = 16;
    private static final int BOUNCE_BLOCKS = 256;

    private final Shard shard;
    private final BlockDevice device;
    private final AlignedBuffers bounce = new AlignedBuffers(BOUNCE_BLOCKS * BLOCK, 8);

    Redirector(Shard shard) {
        this.shard = shard;
        this.device = shard.state().device();
    }

    /**
     * Writes the large data of the transactions; one entry per operation, null where there is none of it.
     *
     * @throws org.ustore.objectstore.ObjectStoreException {@code ENOSPC}; nothing is allocated then
     */
    List<@Nullable Redirect> redirect(List<Transaction> transactions) {
        List<@Nullable Redirect> result = new ArrayList<>();
        int minBlocks = smallBytes(transactions) > shard.maxInlineBytes() ? 1 : MIN_BLOCKS;
        try {
            for (Transaction transaction : transactions) {
                for (Operation operation : transaction.operations()) {
                    result.add(operation instanceof Operation.Write write ? redirect(write, minBlocks) : null);
                }
            }
        } catch (RuntimeException | Error e) {
            giveBack(result);
            throw e;
        }
        return result;
    }

    private static long smallBytes(List<Transaction> transactions) {
        long bytes = 0;
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                if (operation instanceof Operation.Write write
                        && write.data().sizeBytes() < (MIN_BLOCKS + 1L) * BLOCK) {
                    bytes += write.data().sizeBytes();
                }
            }
        }
        return bytes;
    }

    /** Frees what {@link #redirect} allocated; the transactions will not be applied. */
    void giveBack(List<@Nullable Redirect> redirects) {
        shard.lock().lock();
        try {
            for (Redirect redirect : redirects) {
                if (redirect != null) {
                    shard.state().giveBack(redirect.blocks);
                }
            }
        } finally {
            shard.lock().unlock();
        }
    }

    private @Nullable Redirect redirect(Operation.Write write, int minBlocks) {
        long size = write.data().sizeBytes();
        long first = (write.offset() + BLOCK - 1) / BLOCK;
        long count = (write.offset() + size) / BLOCK - first;
        // Too large an object is refused when the write is applied.
        if (count < minBlocks || write.offset() + size > org.ustore.objectstore.ObjectStore.MAX_OBJECT_BYTES) {
            return null;
        }
        Redirect redirect = new Redirect((int) first, allocate((int) count));
        try {
            write(redirect, write.data(), first * BLOCK - write.offset());
        } catch (RuntimeException | Error e) {
            List<@Nullable Redirect> one = new ArrayList<>();
            one.add(redirect);
            giveBack(one);
            throw e;
        }
        return redirect;
    }

    private int[] allocate(int count) {
        shard.lock().lock();
        try {
            shard.admit(new Demand(count, 0, Demand.Purpose.DATA));
            return shard.state().allocate(count);
        } finally {
            shard.lock().unlock();
        }
    }

    private void write(Redirect redirect, Payload data, long dataOffset) {
        int[] blocks = redirect.blocks;
        int from = 0;
        while (from < blocks.length) {
            int run = 1;
            while (from + run < blocks.length && run < BOUNCE_BLOCKS && blocks[from + run] == blocks[from] + run) {
                run++;
            }
            writeRun(redirect, from, run, data, dataOffset + (long) from * BLOCK);
            from += run;
        }
    }

    private void writeRun(Redirect redirect, int from, int run, Payload data, long dataOffset) {
        long bytes = (long) run * BLOCK;
        if (data.segments().size() == 1) {
            MemorySegment part = data.segments().getFirst().asSlice(dataOffset, bytes);
            if (AlignedBuffers.isAligned(part)) {
                writeBlocks(redirect, from, run, part.asByteBuffer());
                return;
            }
        }
        ByteBuffer buffer = bounce.take();
        try {
            data.copyTo(dataOffset, MemorySegment.ofBuffer(buffer), 0, bytes);
            writeBlocks(redirect, from, run, buffer.limit((int) bytes));
        } finally {
            bounce.give(buffer);
        }
    }

    private void writeBlocks(Redirect redirect, int from, int run, ByteBuffer bytes) {
        for (int b = 0; b < run; b++) {
            redirect.checksums[from + b] = Checksum.of(bytes, b * BLOCK, BLOCK);
        }
        device.write(bytes, (long) redirect.blocks[from] * BLOCK);
    }
}
