package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;

/** Carries out the events of a log record when a store is opened. */
final class StateTarget implements LogRecord.Target {
    private final ShardState state;

    StateTarget(ShardState state) {
        this.state = state;
    }

    @Override
    public void inline(int first, int count, MemorySegment data, long offset) {
        for (int i = 0; i < count; i++) {
            state.markAllocated(first + i);
            state.stage(first + i, data, offset + (long) i * BlockDevice.BLOCK_BYTES);
        }
    }

    @Override
    public void redirected(int first, int[] checksums) {
        for (int i = 0; i < checksums.length; i++) {
            state.markAllocated(first + i);
        }
    }

    @Override
    public void reference(int first, int count) {
        for (int i = 0; i < count; i++) {
            state.checkAllocated(first + i);
            state.reference(first + i);
        }
    }

    @Override
    public void dereference(int first, int count) {
        for (int i = 0; i < count; i++) {
            state.checkAllocated(first + i);
            boolean _ = state.dereference(first + i);
        }
    }

    @Override
    public void batch(WriteBatch batch) {
        state.tree().apply(batch);
    }
}
