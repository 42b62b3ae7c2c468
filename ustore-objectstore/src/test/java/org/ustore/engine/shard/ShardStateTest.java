package org.ustore.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.SimulatedDisk;

/** Blocks and slots as records come and go. */
final class ShardStateTest {
    private static final int FIRST_BLOCK = 100;

    @Test
    void blocksOverwrittenDuringReplayGiveTheirMemoryBack() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, 1);
        MemorySegment data = AlignedBuffers.allocate(BlockDevice.BLOCK_BYTES);
        try (BlockDevice device = disk.open(true)) {
            ShardState state = new ShardState(device, 6144, FIRST_BLOCK, 1024);
            for (int round = 0; round < 20_000; round++) {
                int block = FIRST_BLOCK + round % 2;
                state.markAllocated(block);
                state.stage(block, data, 0);
                assertThat(state.dereference(block)).isTrue();
            }
            assertThat(state.pending().usedSlots())
                    .as("slots for one block at a time")
                    .isLessThan(1024);
        }
    }
}
