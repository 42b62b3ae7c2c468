package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.ustore.engine.container.Model;
import org.ustore.engine.container.RandomBatches;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** What is particular to the tree: memory, space, the cost of deletes. */
final class TreeStoreTest {
    private static byte[] key(int number) {
        return String.format("key-%08d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(Random random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    @Test
    void aDatasetFiftyTimesTheCache() {
        long cacheBytes = 1 << 20;
        long slack = 256 << 10; // A batch and the page being read.
        TestStore test = new TestStore(60_000, cacheBytes);
        Random random = new Random(1);
        int keys = 50_000;
        long most = 0;
        for (int i = 0; i < keys; ) {
            WriteBatch batch = new WriteBatch();
            for (int j = 0; j < 20; j++) {
                batch.put(key(i++), value(random, 1000));
            }
            test.applyAndCheckpoint(batch);
            most = Math.max(most, test.store.cacheBytes());
        }
        for (int i = 0; i < 3000; i++) {
            test.applyAndCheckpoint(new WriteBatch().put(key(random.nextInt(keys)), value(random, 900)));
            most = Math.max(most, test.store.cacheBytes());
        }
        for (int i = 0; i < 3000; i++) {
            byte[] key = key(random.nextInt(keys));
            assertThat(test.store.get(key)).isEqualTo(test.model.get(key));
            most = Math.max(most, test.store.cacheBytes());
        }
        test.assertGood("all");
        most = Math.max(most, test.store.cacheBytes());
        assertThat(most).isLessThan(cacheBytes + slack);
        test.checkpoint();
        test.drain();
        assertThat(test.space.usedBlocks()).isEqualTo(test.treeBlocks());
        assertThat(test.store.dirtyBytes()).isZero();
    }

    @Test
    void changesThatOnlyACheckpointCanTakeAwayAreRefused() {
        TestStore test = new TestStore(4096, 1 << 20);
        Random random = new Random(1);
        int i = 0;
        while (true) {
            WriteBatch batch = new WriteBatch().put(key(i++), value(random, 2000));
            if (i > 400) {
                assertThat(test.store.wantsCheckpoint()).isTrue();
            }
            try {
                test.apply(batch);
            } catch (ObjectStoreException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.EBUSY);
                break;
            }
            assertThat(test.store.cacheBytes()).isLessThan((1 << 20) + (64 << 10));
        }
        test.checkpoint();
        test.apply(new WriteBatch().put(key(0), new byte[1]));
        test.assertGood("after the checkpoint");
    }

    @Test
    void theSmallestCacheIsNamed() {
        TestStore test = new TestStore(10, 1 << 20);
        assertThatThrownBy(() -> TreeStore.open(test.device, test.space, 1000, RootRef.EMPTY))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
    }

    @Test
    void aSnapshotKeepsItsPagesAcrossCheckpoints() {
        TestStore test = new TestStore(20_000, 1 << 20);
        Random random = new Random(2);
        List<Snapshot> snapshots = new ArrayList<>();
        List<Model> models = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 1000; i++) {
                test.applyAndCheckpoint(new WriteBatch().put(key(random.nextInt(3000)), value(random, 500)));
            }
            snapshots.add(test.store.snapshot());
            models.add(test.model.copy());
            test.checkpoint();
            test.drain();
        }
        int used = test.space.usedBlocks();
        for (int i = 0; i < snapshots.size(); i++) {
            models.get(i).assertSame(snapshots.get(i), "snapshot " + i);
            snapshots.get(i).close();
            snapshots.get(i).close();
        }
        test.drain();
        assertThat(test.space.usedBlocks()).isLessThan(used).isEqualTo(test.treeBlocks());
    }

    /** Old versions that only a snapshot saw leave memory when it is closed, without a checkpoint. */
    @Test
    void aClosedSnapshotLeavesNoMemoryBehind() {
        TestStore test = new TestStore(4096, 4 << 20);
        for (int i = 0; i < 300; i++) {
            test.apply(new WriteBatch().put(key(i), new byte[300]));
        }
        long before = test.store.dirtyBytes();
        for (int i = 0; i < 3000; i++) {
            try (Snapshot _ = test.store.snapshot()) {
                test.apply(new WriteBatch().put(key(i % 300), new byte[300]));
            }
            test.drain();
        }
        assertThat(test.store.dirtyBytes()).isEqualTo(before);
    }

    @Test
    void aRangeDeleteReadsNoLeavesAndFreesAll() {
        TestStore test = new TestStore(60_000, 1 << 20);
        int keys = 60_000;
        for (int i = 0; i < keys; ) {
            WriteBatch batch = new WriteBatch();
            for (int j = 0; j < 100; j++) {
                batch.put(key(i++), new byte[100]);
            }
            test.applyAndCheckpoint(batch);
        }
        test.checkpoint();
        test.drain();
        int pages = test.treeBlocks() / 2;
        test.restart();
        long reads = test.store.pageReads();
        test.apply(new WriteBatch().deleteRange(key(10), key(keys - 10)));
        assertThat(test.store.pageReads() - reads).as("reads of apply").isLessThan(10);
        assertThat(test.store.size()).isEqualTo(20);
        int slices = 0;
        while (test.store.work(50) > 0) {
            slices++;
        }
        assertThat(slices).isGreaterThan(5);
        assertThat(test.store.pageReads() - reads).as("reads of all").isLessThan(pages / 20);
        test.checkpoint();
        test.drain();
        assertThat(test.space.usedBlocks()).isEqualTo(test.treeBlocks()).isLessThan(10);
        test.restart();
        test.assertGood("what is left");
    }

    /** Deleting one by one, in any order, gives pages back as well. */
    @Test
    void singleDeletesMergePages() {
        TestStore test = new TestStore(20_000, 32 << 20);
        RandomBatches random = new RandomBatches(4, 10);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            test.apply(new WriteBatch().put(key(i), new byte[100]));
            numbers.add(i);
        }
        test.checkpoint();
        test.drain();
        int full = test.space.usedBlocks();
        Collections.shuffle(numbers, random.random());
        for (int number : numbers.subList(0, 19_000)) {
            test.apply(new WriteBatch().delete(key(number)));
        }
        test.checkpoint();
        test.drain();
        assertThat(test.space.usedBlocks()).isLessThan(full / 4);
        test.assertGood("a twentieth left");
        for (int number : numbers.subList(19_000, 20_000)) {
            test.apply(new WriteBatch().delete(key(number)));
        }
        test.checkpoint();
        test.drain();
        assertThat(test.space.usedBlocks()).isEqualTo(2);
        assertThat(test.root.height()).isEqualTo(1);
        test.restart();
        test.assertGood("nothing left");
    }

    /** Keys that only ascend fill their pages. */
    @Test
    void ascendingKeysLeaveFullPages() {
        TestStore test = new TestStore(20_000, 32 << 20);
        for (int i = 0; i < 10_000; i++) {
            test.apply(new WriteBatch().put(key(i), new byte[100]));
        }
        test.checkpoint();
        long bytes = 10_000L * (12 + 100 + PageFormat.LEAF_CELL_BYTES + PageFormat.SLOT_BYTES);
        assertThat(test.space.usedBlocks() * 4096L).isLessThan(bytes * 11 / 10);
    }

    /** Of the store opened from a checkpoint only what changed is written again. */
    @Test
    void aCheckpointWritesWhatChanged() {
        TestStore test = new TestStore(20_000, 32 << 20);
        for (int i = 0; i < 20_000; i++) {
            test.apply(new WriteBatch().put(key(i), new byte[100]));
        }
        test.checkpoint();
        test.drain();
        int used = test.space.usedBlocks();
        test.apply(new WriteBatch().patch(key(777), 3, new byte[] {1}));
        test.checkpoint();
        assertThat(test.space.usedBlocks() - used).isEqualTo(2 * test.root.height());
        test.drain();
        assertThat(test.space.usedBlocks()).isEqualTo(used);
        long calls = test.disk.calls();
        test.checkpoint();
        assertThat(test.disk.calls() - calls).as("only a flush").isEqualTo(1);
        test.apply(new WriteBatch().delete(key(30_000)));
        test.checkpoint();
        assertThat(test.disk.calls() - calls).as("absent keys change nothing").isEqualTo(2);
    }

    /** Gets that read the device find what they look for while the pages they may be reading are replaced and reused. */
    @Test
    void readsFromTheDeviceWhilePagesAreReused() throws InterruptedException {
        TestStore test = new TestStore(20_000, TreeStore.LEAST_CACHE_BYTES);
        int keys = 4000;
        for (int i = 0; i < keys; i++) {
            test.applyAndCheckpoint(new WriteBatch().put(key(i), key(i)));
        }
        TreeStore store = test.store;
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            Random random = new Random(1);
            try {
                while (!stop.get()) {
                    byte[] key = key(random.nextInt(keys));
                    assertThat(store.get(key)).startsWith(key);
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        Random random = new Random(2);
        for (int i = 0; i < 8000 && failure.get() == null; i++) {
            byte[] key = key(random.nextInt(keys));
            test.applyAndCheckpoint(new WriteBatch().patch(key, key.length, value(random, 500)));
        }
        stop.set(true);
        reader.join();
        assertThat(failure.get()).isNull();
        assertThat(store.pageReads()).isPositive();
        test.assertGood("after readers");
    }
}
