package org.ustore.engine.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Opening files and block devices: sizes, exclusion, what is refused and how it is said; io_uring that is not there. */
final class FileBlockDeviceTest {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;

    @TempDir
    private Path folder = Path.of("");

    private Path file(long bytes) {
        Path file = folder.resolve("file" + bytes);
        FileBlockDevice.create(file, bytes);
        return file;
    }

    private static void assertRefused(ErrorCode code, String text, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
                .hasMessageContaining(text);
    }

    @Test
    void aSizeThatIsNoMultipleOfAnythingIsRoundedDown() {
        try (BlockDevice device = FileBlockDevice.open(file(10L * BLOCK + 4095), false, IoMode.AUTO)) {
            assertThat(device.sizeBytes()).isEqualTo(10L * BLOCK);
            device.write(AlignedBuffers.allocateBuffer(BLOCK), 9L * BLOCK);
            assertRefused(
                    ErrorCode.EIO, "outside", () -> device.write(AlignedBuffers.allocateBuffer(BLOCK), 10L * BLOCK));
        }
    }

    @Test
    void whatIsNoDeviceIsNamed() throws IOException {
        assertRefused(
                ErrorCode.ENOENT,
                "no device at",
                () -> FileBlockDevice.open(folder.resolve("none"), false, IoMode.AUTO));
        assertRefused(ErrorCode.EIO, "neither a file nor", () -> FileBlockDevice.open(folder, false, IoMode.AUTO));
        assertRefused(ErrorCode.EIO, "neither a file nor", () -> FileBlockDevice.open(folder, true, IoMode.AUTO));
        Path shm = Path.of("/dev/null");
        assertRefused(ErrorCode.EIO, "/dev/null", () -> FileBlockDevice.open(shm, true, IoMode.AUTO));
    }

    @Test
    void readersOfAFileShareItAndExcludeAWriter() {
        Path file = file(BLOCK);
        try (BlockDevice _ = FileBlockDevice.open(file, true, IoMode.AUTO);
                BlockDevice _ = FileBlockDevice.open(file, true, IoMode.PORTABLE)) {
            assertRefused(ErrorCode.EBUSY, "is in use", () -> FileBlockDevice.open(file, false, IoMode.AUTO));
        }
        FileBlockDevice.open(file, false, IoMode.AUTO).close();
    }

    @Test
    void aFileThatShrankIsAnErrorNotAnEndlessRead() throws IOException {
        Path file = file(4L * BLOCK);
        int[] errno = {0};
        try (BlockDevice device = FileBlockDevice.open(file, false, IoMode.AUTO);
                IoQueue queue = device.openQueue(2, (_, e) -> errno[0] = e)) {
            assertThat(file.toFile().length()).isEqualTo(4L * BLOCK);
            try (java.nio.channels.FileChannel other =
                    java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
                other.truncate(2L * BLOCK);
            }
            queue.read(AlignedBuffers.allocate(4L * BLOCK), 0, 1);
            queue.drain();
            assertThat(errno[0]).isEqualTo(Kernel.EIO);
            assertRefused(ErrorCode.EIO, "end of the device", () -> {
                device.read(AlignedBuffers.allocateBuffer(BLOCK), 3L * BLOCK);
            });
        }
    }

    @Test
    void errorsOfAQueueAreErrnosAndThoseOfAWriterSayWhere() {
        Path file = file(64L * BLOCK);
        for (IoMode mode : IoMode.values()) {
            try (BlockDevice device = FileBlockDevice.open(file, true, mode);
                    DeviceWriter writer = new DeviceWriter(device, 4, 1, BLOCK)) {
                writer.write(AlignedBuffers.allocate(BLOCK), 8L * BLOCK);
                assertThatThrownBy(writer::finish)
                        .hasMessageContaining("EIO")
                        .hasMessageContaining("position=32768 errno=");
                writer.finish();
                writer.write(AlignedBuffers.allocate(BLOCK), 0);
                assertThatThrownBy(() -> writer.writeDurably(AlignedBuffers.allocate(BLOCK), BLOCK))
                        .hasMessageContaining("position=0 ");
                assertThatThrownBy(() -> writer.writeDurably(AlignedBuffers.allocate(BLOCK), BLOCK))
                        .hasMessageContaining("position=4096 ");
            }
        }
    }

    @Test
    void aFailedLinkedWriteCancelsItsFlush() {
        int[] errnos = new int[2];
        try (BlockDevice device = FileBlockDevice.open(file(64L * BLOCK), true, IoMode.URING);
                IoQueue queue = device.openQueue(4, (token, e) -> errnos[(int) token] = e)) {
            queue.writeAndFlush(AlignedBuffers.allocate(BLOCK), 0, 0);
            queue.submit();
            queue.read(AlignedBuffers.allocate(BLOCK), 0, 1);
            queue.drain();
        }
        assertThat(errnos[0])
                .as("the write's error, not that the flush was cancelled")
                .isEqualTo(9);
        assertThat(errnos[1]).isZero();
    }

    // ---- io_uring that is not there ----

    @Test
    void withoutIoUringAutoFallsBackAndUringIsRefused() {
        Path file = file(16L * BLOCK);
        FileBlockDevice.UringQueues forbidden = (_, _, _, _) -> {
            throw new UringUnavailableException("io_uring_setup", Kernel.EPERM);
        };
        try (BlockDevice device = FileBlockDevice.open(file, false, IoMode.AUTO, forbidden);
                IoQueue queue = device.openQueue(1, (_, _) -> {})) {
            assertThat(device.io()).isEqualTo("portable");
            assertThat(queue).isInstanceOf(PortableQueue.class);
        }
        assertRefused(
                ErrorCode.EOPNOTSUPP,
                "io = uring, but io_uring_setup: errno=1 (Operation not permitted)",
                () -> FileBlockDevice.open(file, false, IoMode.URING, forbidden));
        // The refusal left nothing open.
        try (BlockDevice device = FileBlockDevice.open(file, false, IoMode.URING)) {
            assertThat(device.io()).isEqualTo("io_uring");
        }
    }

    @Test
    void aRingThatFailsLaterIsReplacedByPortableIo() {
        int[] rings = {0};
        FileBlockDevice.UringQueues one = (device, handle, depth, completion) -> {
            if (++rings[0] > 1) {
                throw new UringUnavailableException("io_uring_setup", 24);
            }
            return UringQueue.open(device, handle, depth, completion);
        };
        try (BlockDevice device = FileBlockDevice.open(file(BLOCK), false, IoMode.AUTO, one);
                IoQueue queue = device.openQueue(1, (_, _) -> {})) {
            assertThat(queue).isInstanceOf(PortableQueue.class);
        }
    }

    @Test
    void depthsOutOfRangeAreRefused() {
        try (BlockDevice device = FileBlockDevice.open(file(BLOCK), false, IoMode.AUTO)) {
            for (int depth : new int[] {0, -1, IoQueue.MAX_DEPTH + 1}) {
                assertRefused(ErrorCode.EINVAL, "queue depth=" + depth, () -> device.openQueue(depth, (_, _) -> {}));
            }
            device.openQueue(IoQueue.MAX_DEPTH, (_, _) -> {}).close();
        }
    }

    // ---- block devices ----

    @Test
    void aBlockDeviceHasItsSizeAndDiscards() throws IOException {
        Path file = file((16L << 20) + 4096);
        try (LoopDevice loop = LoopDevice.attach(file)) {
            for (IoMode mode : IoMode.values()) {
                int[] errno = {-1};
                try (BlockDevice device = FileBlockDevice.open(loop.path(), false, mode)) {
                    assertThat(device.sizeBytes()).isEqualTo((16L << 20) + 4096);
                    MemorySegment ones = AlignedBuffers.allocate(BLOCK);
                    ones.fill((byte) 1);
                    device.write(ones.asByteBuffer(), 1L << 20);
                    try (IoQueue queue = device.openQueue(1, (_, e) -> errno[0] = e)) {
                        queue.discard(1L << 20, 1L << 20, 1);
                        queue.drain();
                    }
                    assertThat(errno[0]).isZero();
                    MemorySegment found = AlignedBuffers.allocate(BLOCK);
                    device.read(found.asByteBuffer(), 1L << 20);
                    assertThat(found.mismatch(AlignedBuffers.allocate(BLOCK)))
                            .as("a loop device punches a hole")
                            .isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void aMountedBlockDeviceIsRefused() throws IOException {
        try (LoopDevice loop = LoopDevice.attach(file(16L << 20))) {
            Path point = mount(loop);
            try {
                for (boolean readOnly : new boolean[] {false, true}) {
                    assertRefused(
                            ErrorCode.EBUSY,
                            loop.path() + " is in use: mounted",
                            () -> FileBlockDevice.open(loop.path(), readOnly, IoMode.AUTO));
                }
            } finally {
                String _ = LoopDevice.run("umount", point.toString());
            }
            FileBlockDevice.open(loop.path(), false, IoMode.AUTO).close();
        }
    }

    /** Makes a file system on a loop device and mounts it; skips the test, saying why, where that cannot be done. */
    private Path mount(LoopDevice loop) throws IOException {
        Path point = Files.createDirectory(folder.resolve("mounted"));
        String why = "";
        try {
            String _ = LoopDevice.run("mkfs.ext4", "-q", loop.path().toString());
            String _ = LoopDevice.run("mount", loop.path().toString(), point.toString());
        } catch (IOException e) {
            why = String.valueOf(e.getMessage());
        }
        assumeTrue(why.isEmpty(), "cannot mount: " + why);
        return point;
    }

    /** A write that the host has space for only in part is short, its rest fails, and so does the flush linked to it. */
    @Test
    void aHostFileSystemThatIsFullIsAnError() throws IOException {
        try (LoopDevice loop = LoopDevice.attach(file(16L << 20))) {
            Path point = mount(loop);
            try {
                for (IoMode mode : new IoMode[] {IoMode.URING, IoMode.PORTABLE}) {
                    Path sparse = point.resolve(mode.toString());
                    FileBlockDevice.create(sparse, 64L << 20);
                    int[] errnos = new int[64];
                    try (BlockDevice device = FileBlockDevice.open(sparse, false, mode);
                            IoQueue queue = device.openQueue(4, (token, e) -> errnos[(int) token] = e)) {
                        MemorySegment memory = AlignedBuffers.allocate(1 << 20);
                        for (int i = 0; i < 63; i++) {
                            if (i % 2 == 0) {
                                queue.write(memory, (long) i << 20, i);
                            } else {
                                queue.writeAndFlush(memory, (long) i << 20, i);
                            }
                        }
                        queue.drain();
                    }
                    int full = mode == IoMode.URING ? Kernel.ENOSPC : Kernel.EIO;
                    assertThat(errnos).contains(full);
                    assertThat(errnos[61]).as("a write with its flush").isEqualTo(full);
                    assertThat(errnos[62]).as("a write").isEqualTo(full);
                    Files.delete(sparse);
                }
            } finally {
                String _ = LoopDevice.run("umount", point.toString());
            }
        }
    }
}
