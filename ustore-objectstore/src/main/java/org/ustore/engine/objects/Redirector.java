package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.core.Demand;
import org.ustore.engine.core.Shard;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.device.DeviceWriter;
import org.ustore.engine.device.DeviceWriterPool;
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
    /** Longest write, 512 KiB. */
    private static final int BUFFER_BLOCKS = 128;

    private static final int DEPTH = 16;
    private static final int BUFFERS = 8;
    /** About as many as an OSD has threads that write. */
    private static final int MAX_IDLE_WRITERS = 16;

    private final Shard shard;
    private final DeviceWriterPool writers;

    Redirector(Shard shard) {
        this.shard = shard;
        BlockDevice device = shard.state().device();
        this.writers = new DeviceWriterPool(
                () -> new DeviceWriter(device, DEPTH, BUFFERS, BUFFER_BLOCKS * BLOCK), MAX_IDLE_WRITERS);
    }

    /** Gives the queues of the device back. */
    void close() {
        writers.close();
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
            boolean any = false;
            for (Transaction transaction : transactions) {
                for (Operation operation : transaction.operations()) {
                    Redirect redirect = operation instanceof Operation.Write write ? allocate(write, minBlocks) : null;
                    result.add(redirect);
                    any |= redirect != null;
                }
            }
            if (any) {
                write(transactions, result);
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

    private @Nullable Redirect allocate(Operation.Write write, int minBlocks) {
        long size = write.data().sizeBytes();
        long first = (write.offset() + BLOCK - 1) / BLOCK;
        long count = (write.offset() + size) / BLOCK - first;
        // Too large an object is refused when the write is applied.
        if (count < minBlocks || write.offset() + size > org.ustore.objectstore.ObjectStore.MAX_OBJECT_BYTES) {
            return null;
        }
        return new Redirect((int) first, allocate((int) count));
    }

    private int[] allocate(int count) {
        shard.lock().lock();
        try {
            shard.admit(new Demand(count, 0, 0, Demand.Purpose.DATA));
            return shard.state().allocate(count);
        } finally {
            shard.lock().unlock();
        }
    }

    /** Writes all redirects at the same time; nothing is in flight afterwards, for memory and blocks are the caller's. */
    private void write(List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        DeviceWriter writer = writers.take();
        try {
            int i = 0;
            for (Transaction transaction : transactions) {
                for (Operation operation : transaction.operations()) {
                    Redirect redirect = redirects.get(i++);
                    if (redirect != null && operation instanceof Operation.Write write) {
                        write(writer, redirect, write.data(), (long) redirect.first * BLOCK - write.offset());
                    }
                }
            }
        } finally {
            try {
                writer.finish();
            } finally {
                writers.give(writer);
            }
        }
    }

    /** Starts the writes of a redirect's runs. */
    private static void write(DeviceWriter writer, Redirect redirect, Payload data, long dataOffset) {
        int[] blocks = redirect.blocks;
        int from = 0;
        while (from < blocks.length) {
            int run = 1;
            while (from + run < blocks.length && run < BUFFER_BLOCKS && blocks[from + run] == blocks[from] + run) {
                run++;
            }
            writeRun(writer, redirect, from, run, data, dataOffset + (long) from * BLOCK);
            from += run;
        }
    }

    private static void writeRun(
            DeviceWriter writer, Redirect redirect, int from, int run, Payload data, long dataOffset) {
        long bytes = (long) run * BLOCK;
        long position = (long) redirect.blocks[from] * BLOCK;
        if (data.segments().size() == 1) {
            MemorySegment part = data.segments().getFirst().asSlice(dataOffset, bytes);
            if (AlignedBuffers.isAligned(part)) {
                checksum(redirect, from, run, part);
                writer.write(part, position);
                return;
            }
        }
        MemorySegment buffer = writer.take();
        data.copyTo(dataOffset, buffer, 0, bytes);
        checksum(redirect, from, run, buffer);
        writer.writeTaken(bytes, position);
    }

    private static void checksum(Redirect redirect, int from, int run, MemorySegment bytes) {
        for (int b = 0; b < run; b++) {
            redirect.checksums[from + b] = Checksum.of(bytes, (long) b * BLOCK, BLOCK);
        }
    }
}
