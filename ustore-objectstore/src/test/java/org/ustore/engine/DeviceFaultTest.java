package org.ustore.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ustore.engine.device.IoMode;
import org.ustore.engine.device.SimulatedDisk;
import org.ustore.engine.device.SimulatedDisk.Call;
import org.ustore.engine.device.SimulatedDisk.Fault;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.testkit.RandomHistory;
import org.ustore.objectstore.testkit.StoreComparator;

/** Writes that the device gets wrong without a word: what is read is right, or an error, never something else. */
final class DeviceFaultTest {
    private static final long DISK_BYTES = 48L << 20;
    private static final UUID FSID = UUID.fromString("5f0d1d0a-2f43-4f0a-9c2f-6f1f6f1b8a11");
    private static final long LOG_START = 8192;
    private static final long LOG_BYTES = 1L << 20;
    private static final int TRANSACTIONS = 120;
    private static final Fault[] FAULTS = {Fault.LOSE, Fault.MISDIRECT, Fault.FLIP, Fault.TEAR};

    static LongStream seeds() {
        return RandomHistory.seeds(Integer.getInteger("ustore.fault.seeds", 60));
    }

    private static void run(UStore store, RandomTransactions transactions) {
        for (int n = 0; n < TRANSACTIONS; n++) {
            Collection open = store.openCollection(RandomTransactions.PG);
            Collection pg = open == null ? store.createNewCollection(RandomTransactions.PG) : open;
            store.queueTransaction(pg, transactions.get(n));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("now and then a write is lost, goes astray, flips a bit or tears")
    void silentFaults(long seed) {
        Random random = new Random(seed);
        RandomTransactions transactions = new RandomTransactions(seed, seed % 2 == 0 ? 400_000 : 60_000);
        SimulatedDisk disk = new SimulatedDisk(DISK_BYTES, seed);
        UStore store =
                new UStore(disk, new StoreConfig("block", 0, LOG_BYTES, "", 1L << 30, 64L << 20, "", IoMode.AUTO));
        store.mkfs(FSID);
        store.mount();
        Fault fault = FAULTS[(int) (seed % FAULTS.length)];
        // Far enough apart that they do not hit both copies of a superblock. Not the log, which a clean end makes
        // useless.
        int period = 10 + random.nextInt(30);
        AtomicInteger writes = new AtomicInteger();
        disk.faults((call, _, position) -> call == Call.WRITE
                        && (position < LOG_START || position >= LOG_START + LOG_BYTES)
                        && writes.incrementAndGet() % period == 0
                ? fault
                : Fault.NONE);
        try {
            run(store, transactions);
            store.umount();
            store.mount();
            assertThat(RandomTransactions.applied(store)).isEqualTo(TRANSACTIONS);
            StoreComparator.compare(transactions.model(TRANSACTIONS), store);
            store.umount();
        } catch (ObjectStoreException e) {
            assertThat(e.code()).as("%s: %s", fault, e.getMessage()).isIn(ErrorCode.EIO, ErrorCode.ESHUTDOWN);
            end(store);
        }
    }

    /** Ends the threads of a store that may have failed, or not be mounted. */
    private static void end(UStore store) {
        try {
            store.umount();
        } catch (ObjectStoreException e) {
            assertThat(e.code()).isIn(ErrorCode.EIO, ErrorCode.ESHUTDOWN);
        }
    }
}
