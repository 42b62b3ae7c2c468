package org.ustore.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ustore.engine.device.IoMode;
import org.ustore.engine.device.SimulatedDisk;
import org.ustore.engine.device.SimulatedDisk.Call;
import org.ustore.engine.device.SimulatedDisk.Fault;
import org.ustore.objectstore.BufferAllocator;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Transaction;

/** The engine beyond the contract: full devices, damage, device errors, load, second openers. */
final class UStoreTest {
    private static final long SEED = 1;
    private static final CollectionId PG = CollectionId.pg(1, 0);
    private static final long LOG_END_BYTES = 8192 + (1L << 20);
    private static final UUID FSID = UUID.fromString("3c1b0f5e-0b4c-4a6e-8f7d-1f2e3d4c5b6a");

    @TempDir
    private Path folder = Path.of("");

    private static StoreConfig config(long deviceBytes) {
        return new StoreConfig("block", deviceBytes, 1L << 20, "", 1L << 30, 64L << 20, "", IoMode.AUTO);
    }

    private static UStore store(SimulatedDisk disk) {
        return new UStore(disk, config(0));
    }

    private static UStore fresh(SimulatedDisk disk) {
        UStore store = store(disk);
        store.mkfs(FSID);
        store.mount();
        store.queueTransaction(store.createNewCollection(PG), new Transaction().makeCollection(PG, 0));
        return store;
    }

    private static Collection pg(UStore store) {
        Collection pg = store.openCollection(PG);
        if (pg == null) {
            throw new AssertionError("no collection");
        }
        return pg;
    }

    private static ObjectId object(int number) {
        return ObjectId.head(1, number * 0x9e3779b1, ByteString.of("object" + number));
    }

    private static byte[] data(long seed, int length) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return data;
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private static void commit(UStore store, Transaction transaction) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        store.queueTransaction(pg(store), transaction.onCommit(done::countDown));
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }

    // ---- full device ----

    /** Writes objects until there is no space and returns how many fitted. */
    private static int fill(UStore store, int bytes) {
        for (int i = 0; ; i++) {
            try {
                store.queueTransaction(pg(store), new Transaction().write(PG, object(i), 0, data(i, bytes)));
            } catch (ObjectStoreException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.ENOSPC);
                return i;
            }
        }
    }

    private static void fillDeleteRefill(int bytes) {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        long available = store.statistics().available();
        int fitted = fill(store, bytes);
        long blocks = (bytes + 4095L) / 4096;
        assertThat(fitted * blocks * 4096)
                .as("bytes that fitted of %s", available)
                .isGreaterThan(available * 8 / 10);
        for (int i = 0; i < fitted; i++) {
            assertThat(pg(store).read(object(i), 0, 0)).isEqualTo(data(i, bytes));
        }
        assertThat(pg(store).exists(object(fitted)))
                .as("nothing of the one that did not fit")
                .isFalse();
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();

        store.mount();
        // What a full device must still do: metadata and deletes.
        store.queueTransaction(
                pg(store),
                new Transaction().omapSetKeys(PG, object(0), Map.of(ByteString.of("k"), ByteString.of("v"))));
        for (int i = 0; i < fitted; i++) {
            store.queueTransaction(
                    pg(store),
                    new Transaction()
                            .remove(PG, object(i))
                            .touch(PG, object(-1))
                            .setAttribute(PG, object(-1), ByteString.of("last"), ByteString.of("deleted " + i)));
        }
        assertThat(store.statistics().dataStored()).isZero();
        assertThat(store.statistics().allocated()).isZero();
        assertThat(fill(store, bytes)).as("fits again after the deletes").isBetween(fitted - 2, fitted + 2);
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();
    }

    @Test
    void fillsDeletesAndRefillsWithLargeObjects() {
        fillDeleteRefill(300_000);
    }

    @Test
    void fillsDeletesAndRefillsWithSmallObjects() {
        fillDeleteRefill(9000);
    }

    @Test
    void overwritesOnAFullDeviceForEver() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        int fitted = fill(store, 65536);
        for (int i = 0; i < 4; i++) {
            store.queueTransaction(pg(store), new Transaction().remove(PG, object(i)));
        }
        for (int round = 0; round < 300; round++) {
            int i = 4 + round % (fitted - 4);
            store.queueTransaction(pg(store), new Transaction().write(PG, object(i), 0, data(round, 65536)));
            assertThat(pg(store).read(object(i), 0, 0)).isEqualTo(data(round, 65536));
        }
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();
    }

    @Test
    void aFullDeviceSurvivesPowerCuts() {
        for (int seed = 1; seed <= 6; seed++) {
            Random random = new Random(seed);
            SimulatedDisk disk = new SimulatedDisk(24L << 20, seed);
            UStore store = fresh(disk);
            int bytes = seed % 2 == 0 ? 20_000 : 200_000;
            int fitted = fill(store, bytes);
            for (int cut = 0; cut < 5; cut++) {
                disk.powerOffAt(1 + random.nextInt(10));
                try {
                    for (int i = 0; i < 50; i++) {
                        store.queueTransaction(
                                pg(store),
                                new Transaction()
                                        .omapSetKeys(PG, object(0), Map.of(ByteString.of("k" + i), ByteString.of("v")))
                                        .truncate(PG, object(random.nextInt(fitted)), random.nextInt(bytes)));
                    }
                    store.umount();
                } catch (ObjectStoreException e) {
                    assertThat(disk.isOff()).as("seed %s: %s", seed, e).isTrue();
                    disk.powerOff();
                    closeFailed(store);
                }
                disk.restart();
                assertThat(store.fsck(true).errors()).as("seed %s", seed).isEmpty();
                store.mount();
            }
            store.umount();
        }
    }

    private static void closeFailed(UStore store) {
        try {
            store.umount();
        } catch (ObjectStoreException e) {
            assertThat(e.code()).isIn(ErrorCode.EIO, ErrorCode.ESHUTDOWN);
        }
    }

    @Test
    void metadataThatDoesNotFitIsRefusedWhileACheckpointStillHasRoom() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        int fitted = fill(store, 65536);
        int accepted = 0;
        try {
            while (true) {
                store.queueTransaction(
                        pg(store), new Transaction().setAttribute(PG, object(0), attribute(accepted), value(accepted)));
                accepted++;
            }
        } catch (ObjectStoreException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.ENOSPC);
        }
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();
        store.mount();
        assertThat(pg(store).attributes(object(0))).hasSize(accepted);
        for (int i = 0; i < accepted; i++) {
            assertThat(pg(store).attribute(object(0), attribute(i))).isEqualTo(value(i));
        }
        assertThat(pg(store).read(object(fitted - 1), 0, 0)).isEqualTo(data(fitted - 1, 65536));
        store.umount();
    }

    private static ByteString attribute(int number) {
        return ByteString.of("a" + number);
    }

    /** As much metadata as one record of the small log takes. */
    private static ByteString value(int number) {
        return ByteString.wrap(data(number, 200_000));
    }

    // ---- damage ----

    @Test
    void aFlippedBitIsAnErrorOfThatBlockAlone() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        byte[] marked = data(7, 5 * 4096);
        for (int i = 0; i < 10; i++) {
            store.queueTransaction(
                    pg(store), new Transaction().write(PG, object(i), 0, i == 5 ? marked : data(i, 50_000)));
        }
        store.umount();
        byte[] block = Arrays.copyOfRange(marked, 2 * 4096, 3 * 4096);
        disk.flip(find(disk, block) * 4096L + 17, 3);

        assertThat(store.fsck(false).errors())
                .as("a check of metadata does not read data")
                .isEmpty();
        assertThat(store.fsck(true).errors())
                .singleElement()
                .asString()
                .contains("object5", "offset=8192", "device block=");
        store.mount();
        assertThatThrownBy(() -> pg(store).read(object(5), 8192, 10))
                .hasMessageContaining("EIO")
                .hasMessageContaining("object5")
                .hasMessageContaining("offset=8192")
                .hasMessageContaining("expected=");
        assertCode(ErrorCode.EIO, () -> pg(store).read(object(5), 0, 0));
        assertThat(pg(store).read(object(5), 12288, 4096)).isEqualTo(Arrays.copyOfRange(marked, 12288, 16384));
        for (int i = 0; i < 10; i++) {
            if (i != 5) {
                assertThat(pg(store).read(object(i), 0, 0)).isEqualTo(data(i, 50_000));
            }
        }
        // Written anew, the block is whole again.
        store.queueTransaction(pg(store), new Transaction().write(PG, object(5), 8192, block));
        assertThat(pg(store).read(object(5), 0, 0)).isEqualTo(marked);
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();
    }

    private static int find(SimulatedDisk disk, byte[] content) {
        for (int b = 0; b < 24 << 8; b++) {
            if (Arrays.equals(disk.block(b), content)) {
                return b;
            }
        }
        throw new AssertionError("block is not on the disk");
    }

    @Test
    void oneDamagedSuperblockIsSurvivedTwoAreRefused() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        store.queueTransaction(pg(store), new Transaction().write(PG, object(1), 0, data(1, 5000)));
        store.umount();
        disk.flip(100, 0);
        store.mount();
        assertThat(pg(store).read(object(1), 0, 0)).isEqualTo(data(1, 5000));
        store.umount();
        disk.flip(100, 0);
        disk.flip(4096 + 200, 0);
        assertCode(ErrorCode.EIO, store::mount);
        assertThat(store.fsck(false).errors()).singleElement().asString().contains("superblock");
    }

    @Test
    void damageOfACommittedLogRecordIsReportedNotSkipped() throws InterruptedException {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        for (int i = 0; i < 5; i++) {
            commit(store, new Transaction().write(PG, object(i), 0, data(i, 4096)));
        }
        disk.powerOff();
        assertThatThrownBy(() -> {
                    store.queueTransaction(pg(store), new Transaction().touch(PG, object(9)));
                    store.umount();
                    store.mount();
                })
                .isInstanceOf(ObjectStoreException.class);
        disk.restart();
        byte[] third = Arrays.copyOf(data(2, 4096), 2000);
        disk.flip(findPart(disk, third) + 5, 1);
        UStore again = store(disk);
        assertThatThrownBy(again::mount).hasMessageContaining("log").hasMessageContaining("damaged");
        assertThat(again.fsck(false).errors()).singleElement().asString().contains("damaged");
    }

    private static long findPart(SimulatedDisk disk, byte[] content) {
        byte[] all = new byte[(2 << 20) + 8192];
        for (int b = 0; b < all.length / 4096; b++) {
            System.arraycopy(disk.block(b), 0, all, b * 4096, 4096);
        }
        for (int at = 0; at < all.length - content.length; at++) {
            if (all[at] == content[0] && Arrays.equals(all, at, at + content.length, content, 0, content.length)) {
                return at;
            }
        }
        throw new AssertionError("not in the log");
    }

    @Test
    void aRecordWhoseDataNeverReachedTheDiskIsNotApplied() throws InterruptedException {
        for (int seed = 1; seed <= 3; seed++) {
            SimulatedDisk disk = new SimulatedDisk(24L << 20, seed);
            UStore store = fresh(disk);
            byte[] before = data(seed, 200_000);
            commit(store, new Transaction().write(PG, object(1), 0, before));
            // A write of the data is reported as done and is not; the record is.
            AtomicInteger lost = new AtomicInteger();
            disk.faults((call, _, position) -> {
                boolean data = call == Call.WRITE && position >= LOG_END_BYTES;
                return data && lost.incrementAndGet() == 1 ? Fault.LOSE : Fault.NONE;
            });
            commit(store, new Transaction().write(PG, object(1), 0, data(-seed, 200_000)));
            assertThat(lost).as("writes of data").hasPositiveValue();
            disk.powerOff();
            closeFailed(store);
            disk.restart();
            UStore again = store(disk);
            again.mount();
            assertThat(pg(again).read(object(1), 0, 0)).as("seed %s", seed).isEqualTo(before);
            again.umount();
            assertThat(again.fsck(true).errors()).isEmpty();
        }
    }

    // ---- device errors ----

    @Test
    void aFailingLogWriteAcknowledgesNothingAndFailsTheStore() throws InterruptedException {
        for (int call = 1; call <= 2; call++) {
            SimulatedDisk disk = new SimulatedDisk(24L << 20, call);
            UStore store = fresh(disk);
            commit(store, new Transaction().write(PG, object(0), 0, data(0, 4096)));
            long failing = disk.calls() + call;
            disk.failCalls(n -> n == failing);
            AtomicReference<@Nullable String> wrong = new AtomicReference<>();
            store.queueTransaction(
                    pg(store),
                    new Transaction().write(PG, object(1), 0, data(1, 4096)).onCommit(() -> wrong.set("acknowledged")));
            CountDownLatch failed = new CountDownLatch(1);
            Thread.ofPlatform().start(() -> {
                while (true) {
                    try {
                        store.queueTransaction(store.createNewCollection(CollectionId.META), new Transaction());
                        Thread.onSpinWait();
                    } catch (ObjectStoreException e) {
                        if (e.code() == ErrorCode.ESHUTDOWN) {
                            failed.countDown();
                        }
                        return;
                    }
                }
            });
            assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
            store.umount();
            assertThat(wrong.get()).as("error of call %s", call).isNull();
            disk.restart();
            store.mount();
            assertThat(pg(store).read(object(0), 0, 0)).isEqualTo(data(0, 4096));
            store.umount();
            assertThat(store.fsck(true).errors()).isEmpty();
        }
    }

    @Test
    void aFailedLastCheckpointEndsAllThreads() throws InterruptedException {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        AtomicReference<@Nullable Thread> finisher = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        store.queueTransaction(
                pg(store),
                new Transaction().write(PG, object(0), 0, data(0, 4096)).onCommit(() -> {
                    finisher.set(Thread.currentThread());
                    done.countDown();
                }));
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        disk.failCalls(_ -> true);
        assertCode(ErrorCode.EIO, store::umount);
        assertThat(finisher.get()).isNotNull().extracting(Thread::isAlive).isEqualTo(false);
    }

    // ---- load ----

    @Test
    void aReadReturnsWhatItFoundWhateverIsWrittenMeanwhile() {
        SimulatedDisk disk = new SimulatedDisk(24L << 20, SEED);
        UStore store = fresh(disk);
        for (boolean ranges : new boolean[] {false, true}) {
            byte[] before = data(SEED, 4096);
            store.queueTransaction(pg(store), new Transaction().write(PG, object(0), 0, before));
            byte[] found = new byte[before.length];
            BufferAllocator writesMeanwhile = bytes -> {
                for (int i = 0; i < 8; i++) {
                    store.queueTransaction(pg(store), new Transaction().write(PG, object(i), 0, data(-i, 4096)));
                }
                return MemorySegment.ofArray(found);
            };
            if (ranges) {
                pg(store).read(object(0), List.of(new Extent(0, before.length)), writesMeanwhile);
            } else {
                pg(store).read(object(0), 0, 0, writesMeanwhile);
            }
            assertThat(found).isEqualTo(before);
        }
        store.umount();
    }

    @Test
    void writersAndReadersDuringCheckpoints() throws InterruptedException {
        SimulatedDisk disk = new SimulatedDisk(64L << 20, SEED);
        UStore store = fresh(disk);
        int threads = 4;
        CountDownLatch done = new CountDownLatch(threads);
        List<Throwable> errors = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            Thread.ofPlatform().start(() -> {
                try {
                    writeAndRead(store, thread);
                } catch (RuntimeException | AssertionError e) {
                    synchronized (errors) {
                        errors.add(e);
                    }
                } finally {
                    done.countDown();
                }
            });
        }
        assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
        assertThat(errors).isEmpty();
        store.umount();
        assertThat(store.fsck(true).errors()).isEmpty();
    }

    private static void writeAndRead(UStore store, int thread) {
        CollectionId id = CollectionId.pg(2, thread);
        Collection handle = store.createNewCollection(id);
        store.queueTransaction(handle, new Transaction().makeCollection(id, 2));
        Random random = new Random(thread);
        byte[][] expected = new byte[8][];
        for (int round = 0; round < 800; round++) {
            int i = random.nextInt(expected.length);
            ObjectId object = ObjectId.head(2, thread | i << 2, ByteString.of("t" + i));
            if (expected[i] == null || random.nextInt(3) == 0) {
                expected[i] = data(round, random.nextInt(20) == 0 ? 300_000 : 1 + random.nextInt(30_000));
                store.queueTransaction(
                        handle, new Transaction().truncate(id, object, 0).write(id, object, 0, expected[i]));
            } else {
                byte[] patch = data(round, 1 + random.nextInt(expected[i].length));
                System.arraycopy(patch, 0, expected[i], 0, patch.length);
                store.queueTransaction(handle, new Transaction().write(id, object, 0, patch));
            }
            int read = random.nextInt(expected.length);
            if (expected[read] != null) {
                ObjectId other = ObjectId.head(2, thread | read << 2, ByteString.of("t" + read));
                assertThat(handle.read(other, 0, 0)).isEqualTo(expected[read]);
            }
        }
    }

    @Test
    void largeWritesAndCheckpointsHaveManyRequestsInFlight() throws InterruptedException {
        SimulatedDisk disk = new SimulatedDisk(64L << 20, SEED);
        UStore store = fresh(disk);
        int most = disk.takeMostInFlight();
        commit(store, new Transaction().write(PG, object(1), 0, data(1, 4 << 20)));
        assertThat(disk.takeMostInFlight())
                .as("4 MiB in writes of 512 KiB; before that %s", most)
                .isEqualTo(8);
        for (int i = 0; i < 20; i++) {
            // Every other block, so that there are no runs.
            commit(store, new Transaction().write(PG, object(2), 8192L * i, data(i, 4096)));
            commit(store, new Transaction().write(PG, object(3), 8192L * i, data(i, 4096)));
            commit(store, new Transaction().remove(PG, object(3)));
        }
        assertThat(disk.takeMostInFlight()).as("commits are one by one").isEqualTo(1);
        store.umount();
        assertThat(disk.takeMostInFlight()).as("destaging").isBetween(2, 16);
    }

    // ---- files ----

    @Test
    void aSecondOpenerIsRefused() {
        UStore first = UStore.create(folder, config(24L << 20));
        first.mkfs(FSID);
        first.mount();
        UStore second = UStore.create(folder, config(24L << 20));
        assertThatThrownBy(second::mount).hasMessageContaining("EBUSY").hasMessageContaining("is in use");
        assertCode(ErrorCode.EBUSY, () -> second.fsck(false));
        first.umount();
        second.mount();
        assertThat(second.fsid()).isEqualTo(FSID);
        second.umount();
    }

    @Test
    void mkfsDestroysNothing() throws IOException {
        UStore store = UStore.create(folder, config(24L << 20));
        store.mkfs(FSID);
        assertThatThrownBy(() -> store.mkfs(FSID))
                .hasMessageContaining("EEXIST")
                .hasMessageContaining("holds a UStore");

        Path other = Files.createDirectory(folder.resolve("other"));
        byte[] foreign = new byte[24 << 20];
        foreign[1080] = 1;
        Files.write(other.resolve("block"), foreign);
        assertThatThrownBy(() -> UStore.create(other, config(0)).mkfs(FSID))
                .hasMessageContaining("EEXIST")
                .hasMessageContaining("not blank");

        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> UStore.create(empty, config(0)).mkfs(FSID))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("device_size");
        StoreConfig tooLong = new StoreConfig("block", 24L << 20, 20L << 20, "", 1L << 30, 64L << 20, "", IoMode.AUTO);
        assertThatThrownBy(() -> UStore.create(empty, tooLong).mkfs(FSID)).hasMessageContaining("log_size");
        assertThat(empty.resolve("block"))
                .as("a failed mkfs leaves nothing behind")
                .doesNotExist();
        assertCode(ErrorCode.ENOENT, () -> UStore.create(empty, config(0)).mount());
    }
}
