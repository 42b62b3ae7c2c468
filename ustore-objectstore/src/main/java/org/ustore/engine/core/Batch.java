package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.meta.ByteWriter;

/** Log records that will be written together. Filled under the shard's lock, then the commit thread's. */
final class Batch {
    private static final int START_BYTES = 1 << 20;
    private static final int MAX_IDLE_BYTES = 16 << 20;

    private ByteWriter buffer = new ByteWriter(START_BYTES);
    private List<Runnable> onCommit = new ArrayList<>();
    private long firstRecord;
    private int records;

    Batch() {
        clear();
    }

    /** Makes it empty. */
    void clear() {
        if (buffer.capacity() > MAX_IDLE_BYTES) {
            buffer = new ByteWriter(START_BYTES);
        }
        buffer.truncate(BatchHeader.BYTES);
        onCommit = new ArrayList<>();
        records = 0;
    }

    boolean isEmpty() {
        return records == 0;
    }

    long bytes() {
        return buffer.size();
    }

    int blocks() {
        return (int) ((buffer.size() + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES);
    }

    long lastRecord() {
        return firstRecord + records - 1;
    }

    List<Runnable> onCommit() {
        return onCommit;
    }

    ByteWriter buffer() {
        return buffer;
    }

    /** Counts the record just written. */
    void added(long sequence, List<Runnable> callbacks) {
        if (records == 0) {
            firstRecord = sequence;
        }
        records++;
        onCommit.addAll(callbacks);
    }

    /** Completes header and padding; returns what is to be written. */
    MemorySegment seal(long generation, long batch, long position, long durableBatch) {
        long payload = buffer.size() - BatchHeader.BYTES;
        buffer.padTo(BlockDevice.BLOCK_BYTES);
        MemorySegment memory = buffer.memory();
        int checksum = Checksum.of(memory, BatchHeader.BYTES, payload);
        new BatchHeader(generation, batch, position, firstRecord, durableBatch, (int) payload, records, checksum)
                .encode(memory);
        return memory.asSlice(0, buffer.size());
    }
}
