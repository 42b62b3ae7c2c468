package org.ustore.engine.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.ustore.engine.device.SimulatedDisk.Call;
import org.ustore.engine.device.SimulatedDisk.Fault;
import org.ustore.objectstore.ObjectStoreException;

/** The simulated disk does wrong what it is told to do wrong, nothing else, and the same for the same seed. */
final class SimulatedDiskTest {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final long SEED = 7;

    private final SimulatedDisk disk = new SimulatedDisk(64L * BLOCK, SEED);
    private BlockDevice device = disk.open(false);

    private static MemorySegment filled(int value, int blocks) {
        MemorySegment memory = AlignedBuffers.allocate((long) blocks * BLOCK);
        memory.fill((byte) value);
        return memory;
    }

    private void write(int block, int value) {
        device.write(filled(value, 1).asByteBuffer(), (long) block * BLOCK);
    }

    private void restart() {
        disk.restart();
        device = disk.open(false);
    }

    /** The one value a block is full of, or -1. */
    private int value(int block) {
        MemorySegment memory = filled(99, 1);
        device.read(memory.asByteBuffer(), (long) block * BLOCK);
        byte first = memory.get(ValueLayout.JAVA_BYTE, 0);
        return memory.mismatch(filled(first, 1)) < 0 ? first : -1;
    }

    /** What a block holds after each of many power cuts that follow {@code script}. */
    private Set<Integer> outcomes(int block, Runnable script) {
        Set<Integer> found = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            write(block, 0);
            device.flush();
            script.run();
            restart();
            found.add(value(block));
        }
        return found;
    }

    @Test
    void whatIsFlushedStaysWhatIsNotMayStayGoOrTear() {
        assertThat(outcomes(3, () -> {
                    write(3, 1);
                    device.flush();
                }))
                .containsExactly(1);
        assertThat(outcomes(3, () -> write(3, 1))).containsExactly(-1, 0, 1);
        assertThat(outcomes(3, () -> {
                    write(3, 1);
                    write(3, 2);
                }))
                .as("a later write may be there without the earlier one, and the other way round")
                .contains(0, 1, 2);
    }

    @Test
    void aFlushThatLiesMakesNothingDurableAnHonestOneDoes() {
        assertThat(outcomes(3, () -> {
                    disk.faults((call, _, _) -> call == Call.FLUSH ? Fault.LOSE : Fault.NONE);
                    write(3, 1);
                    device.flush();
                }))
                .contains(0, 1);
        assertThat(outcomes(3, () -> {
                    disk.faults((call, _, _) -> call == Call.FLUSH ? Fault.LOSE : Fault.NONE);
                    write(3, 1);
                    device.flush();
                    disk.faults((_, _, _) -> Fault.NONE);
                    device.flush();
                }))
                .containsExactly(1);
    }

    @Test
    void aFlushThatFailedIsNotMadeGoodByTheNext() {
        assertThat(outcomes(3, () -> {
                    write(3, 1);
                    disk.failCalls(_ -> true);
                    assertThatThrownBy(device::flush).hasMessageContaining("flush");
                    disk.failCalls(_ -> false);
                    device.flush();
                    assertThat(value(3)).as("still to be read").isEqualTo(1);
                }))
                .contains(0, 1);
        assertThat(outcomes(3, () -> {
                    write(3, 1);
                    disk.failCalls(_ -> true);
                    assertThatThrownBy(device::flush).isInstanceOf(ObjectStoreException.class);
                    disk.failCalls(_ -> false);
                    write(3, 2);
                    device.flush();
                }))
                .as("written again and flushed")
                .containsExactly(2);
    }

    private void writeWith(Fault fault, int block, int value) {
        disk.faults((call, _, _) -> call == Call.WRITE ? fault : Fault.NONE);
        write(block, value);
        disk.faults((_, _, _) -> Fault.NONE);
    }

    @Test
    void writesAreLostTornMisdirectedOrFlipped() {
        write(3, 1);
        writeWith(Fault.LOSE, 3, 2);
        assertThat(value(3)).isEqualTo(1);

        writeWith(Fault.FLIP, 3, 2);
        assertThat(differingBits(disk.block(3), 2)).isEqualTo(1);

        write(3, 1);
        writeWith(Fault.MISDIRECT, 3, 5);
        assertThat(value(3)).isEqualTo(1);
        assertThat(java.util.stream.IntStream.range(0, 64).filter(b -> value(b) == 5))
                .as("blocks that got it")
                .hasSize(1);

        writeWith(Fault.TEAR, 9, 7);
        byte[] torn = disk.block(9);
        int boundary = 0;
        while (boundary < BLOCK && torn[boundary] == 7) {
            boundary++;
        }
        assertThat(boundary % 512).isZero();
        assertThat(boundary).isLessThan(BLOCK);
    }

    private static int differingBits(byte[] found, int value) {
        int bits = 0;
        for (byte b : found) {
            bits += Integer.bitCount((b ^ value) & 0xff);
        }
        return bits;
    }

    @Test
    void readsFailOrFlipOnce() {
        write(3, 1);
        disk.faults((call, number, _) -> call != Call.READ ? Fault.NONE : number == 1 ? Fault.FLIP : Fault.ERROR);
        assertThat(value(3)).isEqualTo(-1);
        assertThatThrownBy(() -> value(3)).hasMessageContaining("read");
        disk.faults((_, _, _) -> Fault.NONE);
        assertThat(value(3)).isEqualTo(1);
    }

    @Test
    void aThinDeviceThatIsFullTakesOldBlocksOnly() {
        write(1, 1);
        disk.capacity(2);
        write(2, 2);
        assertThatThrownBy(() -> write(3, 3)).hasMessageContaining("errno=28");
        write(1, 4);
        assertThat(value(1)).isEqualTo(4);
        assertThat(value(3)).isZero();
    }

    @Test
    void aPowerCutLeavesAnythingOfWhatIsInFlight() {
        Set<Integer> found = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            write(5, 0);
            device.flush();
            int[] errno = {0};
            IoQueue queue = device.openQueue(4, (_, e) -> errno[0] = e);
            queue.writeAndFlush(filled(1, 1), 5L * BLOCK, 1);
            if (i % 2 == 0) {
                disk.powerOff();
            } else {
                disk.powerOffAt(1 + i / 2 % 2);
            }
            queue.drain();
            assertThat(errno[0]).as("not acknowledged").isEqualTo(Kernel.EIO);
            restart();
            found.add(value(5));
        }
        assertThat(found).contains(0, 1);
    }

    @Test
    void aWriteThatChangesInFlightIsNoticed() {
        try (IoQueue queue = device.openQueue(4, (_, _) -> {})) {
            MemorySegment memory = filled(1, 1);
            queue.write(memory, 0, 1);
            memory.fill((byte) 2);
            assertThatThrownBy(queue::drain).hasMessageContaining("memory changed under a write");
        }
    }

    @Test
    void aDeviceClosedBeforeItsQueuesIsNoticed() {
        try (IoQueue _ = device.openQueue(4, (_, _) -> {})) {
            assertThatThrownBy(device::close).isInstanceOf(AssertionError.class);
        }
    }

    /** A hash of a history: order of completions, clock, what a crash leaves. */
    private static long history(long seed) {
        SimulatedDisk disk = new SimulatedDisk(64L * BLOCK, seed);
        BlockDevice device = disk.open(false);
        List<Long> order = new ArrayList<>();
        IoQueue queue = device.openQueue(8, (token, errno) -> order.add(token * 1000 + errno));
        for (int i = 0; i < 100; i++) {
            queue.write(filled(i, 1), i % 64L * BLOCK, i);
            if (i % 16 == 15) {
                queue.flush(1000 + i);
            }
        }
        queue.drain();
        assertThat(order).hasSize(106).doesNotHaveDuplicates();
        disk.restart();
        CRC32C hash = new CRC32C();
        for (int b = 0; b < 64; b++) {
            hash.update(disk.block(b));
        }
        return order.hashCode() * 31L + hash.getValue() + disk.clock().nanos();
    }

    @Test
    void oneSeedIsOneHistory() {
        assertThat(history(1)).isEqualTo(history(1)).isNotEqualTo(history(2));
    }

    @Test
    void requestsOfAQueueRunInAnyOrder() {
        List<Long> order = new ArrayList<>();
        try (IoQueue queue = device.openQueue(32, (token, _) -> order.add(token))) {
            for (long i = 0; i < 32; i++) {
                queue.write(filled(1, 1), i * BLOCK, i);
            }
            queue.drain();
        }
        assertThat(order).hasSize(32).isNotEqualTo(order.stream().sorted().toList());
    }
}
