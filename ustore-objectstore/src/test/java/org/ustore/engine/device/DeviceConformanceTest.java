package org.ustore.engine.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** What every device and its queues promise, on each kind there is. */
@ParameterizedClass
@EnumSource
final class DeviceConformanceTest {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int BLOCKS = 2048;
    private static final long SEED = 42;

    enum Kind {
        SIMULATED,
        FILE_PORTABLE,
        FILE_URING,
        LOOP_PORTABLE,
        LOOP_URING
    }

    @Parameter
    private Kind kind = Kind.SIMULATED;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable LoopDevice loop;
    private @Nullable DeviceProvider provider;
    private @Nullable BlockDevice device;
    /** What the completions so far said. */
    private final Map<Long, Integer> completed = new HashMap<>();

    @BeforeEach
    void open() {
        Path file = folder.resolve("device");
        FileBlockDevice.create(file, (long) BLOCKS * BLOCK);
        provider = switch (kind) {
            case SIMULATED -> new SimulatedDisk((long) BLOCKS * BLOCK, SEED);
            case FILE_PORTABLE -> new FileDeviceProvider(file, IoMode.PORTABLE);
            case FILE_URING -> new FileDeviceProvider(file, IoMode.URING);
            case LOOP_PORTABLE -> new FileDeviceProvider(attach(file), IoMode.PORTABLE);
            case LOOP_URING -> new FileDeviceProvider(attach(file), IoMode.URING);
        };
        device = provider.open(false);
    }

    private Path attach(Path file) {
        LoopDevice attached = LoopDevice.attach(file);
        loop = attached;
        return attached.path();
    }

    @AfterEach
    void close() throws IOException {
        if (device != null) {
            device.close();
        }
        if (loop != null) {
            loop.close();
        }
    }

    private BlockDevice device() {
        return Objects.requireNonNull(device);
    }

    private IoQueue queue(int depth) {
        return device().openQueue(
                        depth,
                        (token, errno) -> assertThat(completed.put(token, errno))
                                .as("one completion of %s", token)
                                .isNull());
    }

    private static MemorySegment data(long seed, int blocks) {
        MemorySegment memory = AlignedBuffers.allocate((long) blocks * BLOCK);
        byte[] bytes = new byte[blocks * BLOCK];
        new Random(seed).nextBytes(bytes);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
        return memory;
    }

    private MemorySegment read(int block, int blocks) {
        MemorySegment memory = AlignedBuffers.allocate((long) blocks * BLOCK);
        device().read(memory.asByteBuffer(), (long) block * BLOCK);
        return memory;
    }

    private static void assertSame(MemorySegment found, MemorySegment expected) {
        assertThat(found.mismatch(expected)).as("first byte that differs").isEqualTo(-1);
    }

    @Test
    void sizeAndZeros() {
        assertThat(device().sizeBytes()).isEqualTo((long) BLOCKS * BLOCK);
        assertThat(device().name()).isNotEmpty();
        assertSame(read(BLOCKS - 1, 1), AlignedBuffers.allocate(BLOCK));
    }

    @Test
    void readsBackWhatWasWrittenFromBothSides() {
        device().write(data(1, 3).asByteBuffer(), 10L * BLOCK);
        device().flush();
        MemorySegment found = AlignedBuffers.allocate(3L * BLOCK);
        try (IoQueue queue = queue(4)) {
            queue.read(found, 10L * BLOCK, 1);
            assertThat(queue.inFlight()).isEqualTo(1);
            assertThat(queue.await()).isEqualTo(1);
            assertThat(queue.inFlight()).isZero();
            queue.write(data(2, 2), 11L * BLOCK, 2);
            queue.drain();
            queue.flush(3);
            queue.drain();
        }
        assertSame(found, data(1, 3));
        assertSame(read(10, 1), data(1, 3).asSlice(0, BLOCK));
        assertSame(read(11, 2), data(2, 2));
        assertThat(completed).isEqualTo(Map.of(1L, 0, 2L, 0, 3L, 0));
    }

    @Test
    void manyAtOnceEachCompletesOnceAndDepthIsALimit() {
        Random random = new Random(SEED);
        List<Integer> order = new ArrayList<>();
        try (IoQueue queue = queue(8)) {
            for (int i = 0; i < 200; i++) {
                int block = 5 * i;
                order.add(block);
                MemorySegment source = data(block, 1 + block % 4);
                if (random.nextInt(4) == 0) {
                    queue.writeAndFlush(source, (long) block * BLOCK, i);
                } else {
                    queue.write(source, (long) block * BLOCK, i);
                }
                assertThat(queue.inFlight()).isBetween(1, 8);
                if (random.nextInt(6) == 0) {
                    queue.submit();
                }
                if (random.nextInt(10) == 0) {
                    assertThat(queue.await()).isPositive();
                }
            }
            queue.drain();
            assertThat(queue.inFlight()).isZero();
            assertThat(queue.await()).as("nothing to wait for").isZero();
        }
        assertThat(completed).hasSize(200).containsValue(0);
        assertThat(completed.values()).containsOnly(0);
        for (int block : order) {
            assertSame(read(block, 1 + block % 4), data(block, 1 + block % 4));
        }
    }

    @Test
    void aLinkedFlushAmongOtherRequests() {
        try (IoQueue queue = queue(16)) {
            // Alone and waited for, alone and submitted first, behind others, before others.
            queue.writeAndFlush(data(1, 1), 0, 1);
            queue.drain();
            queue.writeAndFlush(data(2, 1), BLOCK, 2);
            queue.submit();
            queue.drain();
            queue.write(data(3, 1), 2L * BLOCK, 3);
            queue.writeAndFlush(data(4, 64), 4L * BLOCK, 4);
            queue.drain();
            queue.writeAndFlush(data(5, 1), 3L * BLOCK, 5);
            queue.write(data(6, 1), 100L * BLOCK, 6);
            queue.flush(7);
            queue.drain();
            queue.flush(8);
            assertThat(queue.await()).isEqualTo(1);
        }
        assertThat(completed).hasSize(8);
        assertThat(completed.values()).containsOnly(0);
        for (int i = 1; i <= 3; i++) {
            assertSame(read(i - 1, 1), data(i, 1));
        }
        assertSame(read(4, 64), data(4, 64));
        assertSame(read(3, 1), data(5, 1));
    }

    @Test
    void closingAQueueWaitsForItsRequests() {
        IoQueue queue = queue(32);
        for (int i = 0; i < 32; i++) {
            queue.write(data(i, 2), 2L * i * BLOCK, i);
        }
        queue.close();
        assertThat(completed).hasSize(32);
        assertSame(read(62, 2), data(31, 2));
    }

    @Test
    void aQueueGoesFromThreadToThread() throws InterruptedException {
        try (IoQueue queue = queue(4)) {
            List<Throwable> errors = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread thread = Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> errors.add(e))
                        .start(() -> {
                            queue.write(data(number, 1), (long) number * BLOCK, number);
                            queue.drain();
                        });
                thread.join();
            }
            assertThat(errors).isEmpty();
        }
        assertThat(completed).hasSize(4);
        assertSame(read(3, 1), data(3, 1));
    }

    @Test
    void requestsOutsideOrOfOddShapeAreRefused() {
        MemorySegment two = data(1, 2);
        ByteBuffer buffer = two.asByteBuffer();
        long end = (long) BLOCKS * BLOCK;
        assertEio(() -> device().read(buffer.duplicate(), end - BLOCK));
        assertEio(() -> device().write(buffer.duplicate(), end));
        assertEio(() -> device().write(buffer.duplicate(), -BLOCK));
        try (IoQueue queue = queue(2)) {
            assertEio(() -> queue.read(two, end - BLOCK, 1));
            assertEio(() -> queue.write(two, -BLOCK, 2));
            assertEio(() -> queue.writeAndFlush(two, end, 3));
            assertEio(() -> queue.write(two, 512, 4));
            assertEio(() -> queue.write(two.asSlice(0, 512), 0, 5));
            assertEio(() -> queue.write(two.asSlice(512, BLOCK), 0, 6));
            assertEio(() -> queue.write(two.asSlice(0, 0), 0, 7));
            assertEio(() -> queue.discard(0, IoQueue.MAX_DISCARD_BYTES + BLOCK, 8));
            assertEio(() -> queue.discard(end, BLOCK, 9));
            assertThat(queue.inFlight()).isZero();
        }
        assertThat(completed).isEmpty();
        assertSame(read(BLOCKS - 2, 2), AlignedBuffers.allocate(2L * BLOCK));
    }

    private static void assertEio(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EIO));
    }

    @Test
    void discardLeavesItsNeighboursAlone() {
        device().write(data(1, 64).asByteBuffer(), 0);
        device().flush();
        try (IoQueue queue = queue(2)) {
            queue.discard(8L * BLOCK, 32L * BLOCK, 1);
            queue.drain();
            queue.write(data(2, 4), 8L * BLOCK, 2);
            queue.drain();
        }
        assertThat(completed.get(1L)).as("done, or not supported").isIn(0, Kernel.EOPNOTSUPP);
        assertSame(read(0, 8), data(1, 64).asSlice(0, 8L * BLOCK));
        assertSame(read(40, 24), data(1, 64).asSlice(40L * BLOCK));
        assertSame(read(8, 4), data(2, 4));
    }

    @Test
    void aSecondOpenerIsRefusedUntilTheFirstHasClosed() {
        DeviceProvider again = Objects.requireNonNull(provider);
        try (IoQueue queue = queue(1)) {
            queue.write(data(1, 1), 0, 1);
            queue.drain();
            assertBusy(again, false);
            assertBusy(again, true);
            // The refused opener must not have taken the lock away from the first.
            assertBusy(again, false);
        }
        device().close();
        device = again.open(true);
        assertSame(read(0, 1), data(1, 1));
    }

    private static void assertBusy(DeviceProvider provider, boolean readOnly) {
        assertThatThrownBy(() -> provider.open(readOnly))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EBUSY));
    }

    @Test
    void aWriterLosesNothing() {
        try (DeviceWriter writer = new DeviceWriter(device(), 8, 3, 4 * BLOCK)) {
            for (int i = 0; i < 50; i++) {
                if (i % 3 == 0) {
                    writer.write(data(i, 1), 4L * i * BLOCK);
                } else {
                    writer.take().copyFrom(data(i, 4));
                    writer.writeTaken(4L * BLOCK, 4L * i * BLOCK);
                }
            }
            writer.flush();
            writer.writeDurably(data(99, 2), 1000L * BLOCK);
        }
        for (int i = 0; i < 50; i++) {
            int n = i % 3 == 0 ? 1 : 4;
            assertSame(read(4 * i, n), data(i, n));
        }
        assertSame(read(1000, 2), data(99, 2));
    }
}
