package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.ByteWriter;

/**
 * Makes changes to blocks and metadata and notes them in the log record of a transaction. Under the shard's lock, from
 * {@link Shard#beginRecord} to {@link Shard#endRecord}.
 */
public final class Change {
    private static final int NONE = -1;

    private final ShardState state;
    private final ByteWriter record;
    private final long start;
    /** Dereferenced blocks next to each other, not noted yet. */
    private int firstDropped = NONE;

    private int dropped;

    Change(ShardState state, ByteWriter record, long start) {
        this.state = state;
        this.record = record;
        this.start = start;
    }

    /** Bytes of the record so far. */
    public long recordBytes() {
        return record.size() - start;
    }

    /** Allocates blocks; each is to be given data by {@link #inline} or {@link #redirected}. */
    public int[] allocate(int count) {
        return state.allocate(count);
    }

    /** Blocks just allocated get data that rides in the record. */
    public void inline(int[] blocks, MemorySegment data, long offset) {
        noteDropped();
        for (int from = 0; from < blocks.length; ) {
            int run = run(blocks, from);
            long at = offset + (long) from * BlockDevice.BLOCK_BYTES;
            LogRecord.putInline(record, blocks[from], run, data, at);
            for (int i = 0; i < run; i++) {
                state.stage(blocks[from] + i, data, at + (long) i * BlockDevice.BLOCK_BYTES);
            }
            from += run;
        }
    }

    /** Blocks just allocated hold their data already. */
    public void redirected(int[] blocks, int[] checksums) {
        noteDropped();
        for (int from = 0; from < blocks.length; ) {
            int run = run(blocks, from);
            LogRecord.putRedirected(record, blocks[from], checksums, from, run);
            from += run;
        }
    }

    /** Blocks in use are referred to once more. */
    public void reference(int[] blocks) {
        noteDropped();
        for (int from = 0; from < blocks.length; ) {
            int run = run(blocks, from);
            LogRecord.putReference(record, blocks[from], run);
            for (int i = 0; i < run; i++) {
                state.reference(blocks[from] + i);
            }
            from += run;
        }
    }

    private static int run(int[] blocks, int from) {
        int run = 1;
        while (from + run < blocks.length && blocks[from + run] == blocks[from] + run) {
            run++;
        }
        return run;
    }

    /** A block is referred to once less; true if that was the last reference. */
    public boolean dereference(int block) {
        if (firstDropped == NONE || block != firstDropped + dropped) {
            noteDropped();
            firstDropped = block;
        }
        dropped++;
        return state.dereference(block);
    }

    private void noteDropped() {
        if (firstDropped != NONE) {
            LogRecord.putDereference(record, firstDropped, dropped);
            firstDropped = NONE;
            dropped = 0;
        }
    }

    /** Changes the metadata. */
    public void apply(WriteBatch batch) {
        noteDropped();
        LogRecord.putBatch(record, batch);
        state.changed();
        state.tree().apply(batch);
    }

    /** What the caller keeps of the metadata has followed the last {@link #apply}: who read in between will notice. */
    public void published() {
        state.changed();
    }
}
