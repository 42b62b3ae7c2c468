package org.ustore.engine.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a queue makes of a kernel that does things in part, later, or not at all, with a ring that does as it is told. */
final class UringQueueTest {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int DEPTH = 4;

    private record Entry(int opcode, boolean linked, long position, long address, int length, long userData) {}

    /** Answers entries in order with the results given; when there are none left, each does all it should. */
    private static final class FakeRing implements UringQueue.Ring {
        final ArrayDeque<Integer> results = new ArrayDeque<>();
        final List<Entry> seen = new ArrayList<>();
        final ArrayDeque<Entry> submitted = new ArrayDeque<>();
        int unsubmitted;

        @Override
        public void add(int opcode, int flags, long position, long address, int length, int opFlags, long userData) {
            Entry entry = new Entry(opcode, (flags & UringRing.FLAG_LINK) != 0, position, address, length, userData);
            seen.add(entry);
            submitted.add(entry);
            unsubmitted++;
        }

        @Override
        public boolean hasUnsubmitted() {
            return unsubmitted > 0;
        }

        @Override
        public void enter(int least) {
            unsubmitted = 0;
        }

        @Override
        public void reap(UringQueue.Sink sink) {
            boolean cancel = false;
            for (int n = submitted.size(); n > 0; n--) {
                Entry entry = submitted.remove();
                int full = entry.opcode == UringRing.OP_READ || entry.opcode == UringRing.OP_WRITE ? entry.length : 0;
                int result = cancel ? -Kernel.ECANCELED : results.isEmpty() ? full : results.remove();
                cancel = entry.linked && result != full;
                sink.completion(entry.userData, result);
            }
        }

        @Override
        public void close() {
            assertThat(submitted).isEmpty();
        }
    }

    @TempDir
    private Path folder = Path.of("");

    private final FakeRing ring = new FakeRing();
    private final List<Integer> errnos = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final MemorySegment memory = AlignedBuffers.allocate(8L * BLOCK);

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private IoQueue queue() {
        Path file = folder.resolve("device");
        FileBlockDevice.create(file, 64L * BLOCK);
        FileBlockDevice device = FileBlockDevice.open(
                file,
                false,
                IoMode.URING,
                (self, handle, depth, completion) -> new UringQueue(self, handle, depth, completion, ring));
        open.add(device);
        IoQueue queue = device.openQueue(DEPTH, (_, errno) -> errnos.add(errno));
        open.add(queue);
        return queue;
    }

    private void writeAndFlush(IoQueue queue) {
        queue.writeAndFlush(memory, 16L * BLOCK, 1);
        queue.submit();
        queue.drain();
    }

    private List<String> seen() {
        return ring.seen.stream()
                .map(e -> (e.opcode == UringRing.OP_FSYNC
                                ? "flush"
                                : "write@" + e.position / BLOCK + "+" + e.length / BLOCK)
                        + (e.linked ? " linked" : ""))
                .toList();
    }

    @Test
    void aWriteIsLinkedToItsFlush() {
        writeAndFlush(queue());
        assertThat(errnos).containsExactly(0);
        assertThat(seen()).containsExactly("write@16+8 linked", "flush");
    }

    @Test
    void aShortWriteIsContinuedAndThenFlushed() {
        IoQueue queue = queue();
        ring.results.add(3 * BLOCK);
        writeAndFlush(queue);
        assertThat(errnos).containsExactly(0);
        assertThat(seen()).containsExactly("write@16+8 linked", "flush", "write@19+5 linked", "flush");
        assertThat(ring.seen.get(2).address).isEqualTo(memory.address() + 3L * BLOCK);
    }

    @Test
    void aFailedWriteIsNotFlushedAgain() {
        IoQueue queue = queue();
        ring.results.add(-Kernel.ENOSPC);
        writeAndFlush(queue);
        assertThat(errnos).containsExactly(Kernel.ENOSPC);
        assertThat(seen()).hasSize(2);
    }

    @Test
    void aFailedFlushFailsTheRequestAndIsNotTriedAgain() {
        IoQueue queue = queue();
        ring.results.addAll(List.of(8 * BLOCK, -Kernel.EIO));
        writeAndFlush(queue);
        assertThat(errnos).containsExactly(Kernel.EIO);
        assertThat(seen()).hasSize(2);
    }

    @Test
    void anInterruptedFlushIsTriedAgainAlone() {
        IoQueue queue = queue();
        ring.results.addAll(List.of(8 * BLOCK, -Kernel.EINTR));
        writeAndFlush(queue);
        assertThat(errnos).containsExactly(0);
        assertThat(seen()).containsExactly("write@16+8 linked", "flush", "flush");
    }

    @Test
    void whatIsBusyForEverEndsInAnError() {
        IoQueue queue = queue();
        for (int i = 0; i < 1000; i++) {
            ring.results.add(-Kernel.EAGAIN);
        }
        queue.write(memory, 0, 1);
        queue.drain();
        assertThat(errnos).containsExactly(Kernel.EAGAIN);
        assertThat(ring.seen).hasSizeLessThan(200);
    }

    @Test
    void aTransferOfNothingIsAnError() {
        IoQueue queue = queue();
        ring.results.add(0);
        queue.read(memory, 0, 1);
        queue.drain();
        assertThat(errnos).containsExactly(Kernel.EIO);
    }

    @Test
    void aFlushThatIsAloneAndWaitedForNeedsNoRing() {
        IoQueue queue = queue();
        queue.writeAndFlush(memory, 0, 1);
        queue.drain();
        queue.flush(2);
        assertThat(queue.await()).isEqualTo(1);
        assertThat(errnos).containsExactly(0, 0);
        assertThat(ring.seen).isEmpty();
        queue.flush(3);
        queue.write(memory, 0, 4);
        queue.drain();
        assertThat(seen()).containsExactly("flush", "write@0+8");
    }

    @Test
    void manyShortWritesInAnyMixEachCompleteOnce() {
        IoQueue queue = queue();
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            ring.results.add(random.nextInt(4) == 0 ? -Kernel.EINTR : BLOCK);
        }
        for (int i = 0; i < 20; i++) {
            queue.write(memory, 0, i);
        }
        queue.drain();
        assertThat(errnos).hasSize(20).containsOnly(0);
    }
}
