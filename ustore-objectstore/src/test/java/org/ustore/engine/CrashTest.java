package org.ustore.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ustore.engine.device.IoMode;
import org.ustore.engine.device.SimulatedDisk;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.testkit.RandomHistory;
import org.ustore.objectstore.testkit.StoreComparator;

/**
 * Power cuts: whatever the disk kept of what was not flushed, the store comes back as some prefix of the transactions, and
 * all that was reported as committed is in it.
 *
 * <p>The seed fixes transactions, cut and losses; which transactions share a batch is up to the threads.
 */
final class CrashTest {
    private static final long DISK_BYTES = 48L << 20;
    private static final UUID FSID = UUID.fromString("0b0c6a5e-6a37-4a3f-9be5-0d2d8a4a7f10");

    /** A small log, so that checkpoints come often. */
    private static UStore store(SimulatedDisk disk) {
        return new UStore(disk, new StoreConfig("block", 0, 1L << 20, "", 1L << 30, 64L << 20, "", IoMode.AUTO));
    }

    private final AtomicInteger acknowledged = new AtomicInteger();
    private int submitted;

    /** Runs transactions from the state reached until the power fails or {@code end} have been queued. */
    private void run(UStore store, SimulatedDisk disk, RandomTransactions transactions, int end, Random random) {
        try {
            while (submitted < end) {
                Collection open = store.openCollection(RandomTransactions.PG);
                Collection pg = open == null ? store.createNewCollection(RandomTransactions.PG) : open;
                int number = submitted;
                store.queueTransaction(
                        pg,
                        transactions.get(number).onCommit(() -> acknowledged.accumulateAndGet(number + 1, Math::max)));
                submitted = number + 1;
                if (random.nextInt(8) == 0) {
                    awaitDurable(pg);
                }
            }
        } catch (ObjectStoreException e) {
            assertThat(disk.isOff()).as("only a power cut ends the run: %s", e).isTrue();
            assertThat(e.code()).isIn(ErrorCode.ESHUTDOWN, ErrorCode.EIO);
        }
    }

    private static void awaitDurable(Collection pg) {
        java.util.concurrent.CountDownLatch durable = new java.util.concurrent.CountDownLatch(1);
        if (!pg.flushCommit(durable::countDown)) {
            try {
                // A store that has lost its device runs no more callbacks: go on, and notice then.
                boolean _ = durable.await(200, java.util.concurrent.TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Checks what came back and returns it mounted; null if the power failed again while mounting. */
    private UStore checkedMount(SimulatedDisk disk, RandomTransactions transactions) {
        UStore store = store(disk);
        assertThat(store.fsck(true).errors()).as("fsck after the crash").isEmpty();
        store.mount();
        int applied = RandomTransactions.applied(store);
        assertThat(applied).as("transactions there").isBetween(acknowledged.get(), submitted);
        StoreComparator.compare(transactions.model(applied), store);
        submitted = applied;
        return store;
    }

    private static void abandon(UStore store, SimulatedDisk disk) {
        disk.powerOff();
        try {
            store.umount();
        } catch (ObjectStoreException e) {
            assertThat(e.code()).isIn(ErrorCode.EIO, ErrorCode.ESHUTDOWN);
        }
    }

    static LongStream seeds() {
        return RandomHistory.seeds(Integer.getInteger("ustore.crash.seeds", 40));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("random transactions, six power cuts at random calls, some of them while mounting")
    void randomCrashes(long seed) {
        Random random = new Random(seed);
        RandomTransactions transactions = new RandomTransactions(seed, seed % 3 == 0 ? 400_000 : 60_000);
        SimulatedDisk disk = new SimulatedDisk(DISK_BYTES, seed);
        UStore store = store(disk);
        store.mkfs(FSID);
        store.mount();
        for (int cut = 0; cut < 6; cut++) {
            disk.powerOffAt(1 + random.nextInt(300));
            run(store, disk, transactions, submitted + 100 + random.nextInt(150), random);
            abandon(store, disk);
            disk.restart();
            if (random.nextInt(3) == 0) {
                crashWhileMounting(disk, random);
            }
            store = checkedMount(disk, transactions);
        }
        store.umount();
        store = checkedMount(disk, transactions);
        store.umount();
    }

    private static void crashWhileMounting(SimulatedDisk disk, Random random) {
        disk.powerOffAt(1 + random.nextInt(6));
        UStore store = store(disk);
        try {
            store.mount();
            abandon(store, disk);
        } catch (ObjectStoreException e) {
            assertThat(disk.isOff()).as("%s", e).isTrue();
        }
        disk.restart();
    }

    static IntStream scripts() {
        return IntStream.rangeClosed(1, 4);
    }

    @ParameterizedTest(name = "script {0}")
    @MethodSource("scripts")
    @DisplayName("a short script with a clean end, cut at each of its writes and flushes in turn")
    void cutAtEveryCall(int script) {
        int calls = 1;
        boolean cut = true;
        while (cut) {
            Random random = new Random(script * 1000L + calls);
            acknowledged.set(0);
            submitted = 0;
            RandomTransactions transactions = new RandomTransactions(script, 100_000);
            SimulatedDisk disk = new SimulatedDisk(DISK_BYTES, script * 1000L + calls);
            UStore store = store(disk);
            store.mkfs(FSID);
            store.mount();
            disk.powerOffAt(calls);
            run(store, disk, transactions, 12, random);
            try {
                store.umount();
            } catch (ObjectStoreException e) {
                assertThat(disk.isOff()).as("%s", e).isTrue();
            }
            cut = disk.isOff();
            disk.restart();
            checkedMount(disk, transactions).umount();
            calls++;
        }
        assertThat(calls).as("calls of the script").isGreaterThan(10);
    }
}
