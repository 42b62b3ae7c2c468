package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.shard.Replayer;
import org.ustore.engine.shard.ShardState;

/** Applies log records when a store is opened or checked. Used by one thread. */
public final class LogReplay implements Replayer {
    @Override
    public void replay(ShardState state, ByteReader record) {
        LogRecord.decode(record, new Mutator(state, true));
    }

    @Override
    public boolean dataIsThere(ShardState state, ByteReader record) {
        DataCheck check = new DataCheck(state.device());
        LogRecord.decode(record, check);
        return check.matches;
    }

    /** Compares redirected blocks with their checksums. */
    private static final class DataCheck implements Changes {
        private final BlockDevice device;
        private final ByteBuffer buffer = AlignedBuffers.allocateBuffer(BlockDevice.BLOCK_BYTES);
        private boolean matches = true;

        DataCheck(BlockDevice device) {
            this.device = device;
        }

        @Override
        public void blocks(
                int first, int[] blocks, int[] checksums, long size, Kind kind, MemorySegment data, long dataOffset) {
            for (int i = 0; i < blocks.length && kind == Kind.REDIRECTED && matches; i++) {
                device.read(buffer.clear(), (long) blocks[i] * BlockDevice.BLOCK_BYTES);
                matches = Checksum.of(buffer, 0, BlockDevice.BLOCK_BYTES) == checksums[i];
            }
        }
    }
}
