package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.RandomBatches;
import org.ustore.engine.container.WriteBatch;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** A crash or failure at any call of the device leaves the tree of the superblock as it was. */
final class TreeCrashTest {
    private static final int BLOCKS = 4096;
    private static final long CACHE_BYTES = 4 << 20;
    private static final int CHECKPOINTS = 6;

    /** Batches and checkpoints, blocks being used again as soon as they may; ends early when the power goes. */
    private static void script(TestStore test, long seed) {
        RandomBatches batches = new RandomBatches(seed, 800);
        for (int i = 0; i < CHECKPOINTS; i++) {
            for (int j = 0; j < 6; j++) {
                test.apply(batches.next(30));
            }
            Checkpoint checkpoint = test.store.beginCheckpoint();
            var frozen = test.model.copy();
            test.apply(batches.next(30));
            test.root = checkpoint.write();
            test.installed = frozen;
            test.apply(batches.next(30));
            checkpoint.installed();
            test.drain();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aCrashAtEveryCall(long seed) {
        int crashes = 0;
        while (true) {
            TestStore test = new TestStore(BLOCKS, CACHE_BYTES, seed * 1000 + crashes);
            test.disk.powerOffAt(crashes + 1);
            boolean crashed = false;
            try {
                script(test, seed);
            } catch (ObjectStoreException e) {
                assertThat(test.disk.isOff()).isTrue();
                crashed = true;
            }
            if (!crashed) {
                break;
            }
            crashes++;
            String when = "seed " + seed + ", crash at call " + crashes;
            test.restart();
            test.assertGood(when);
            // Life goes on from there.
            RandomBatches batches = new RandomBatches(seed + 50, 800);
            test.apply(batches.next(50));
            test.checkpoint();
            test.drain();
            assertThat(test.space.usedBlocks()).as(when).isEqualTo(test.treeBlocks());
            test.restart();
            test.assertGood(when + ", and on");
        }
        assertThat(crashes).isGreaterThan(2 * CHECKPOINTS);
    }

    @Test
    void aFailedWriteOrFlushIsMadeUpForByTheNextCheckpoint() {
        for (int call = 1; ; call++) {
            TestStore test = new TestStore(BLOCKS, CACHE_BYTES);
            RandomBatches batches = new RandomBatches(9, 800);
            for (int i = 0; i < 10; i++) {
                test.apply(batches.next(30));
            }
            test.checkpoint();
            for (int i = 0; i < 10; i++) {
                test.apply(batches.next(30));
            }
            int failing = call;
            long before = test.disk.calls();
            test.disk.failCalls(n -> n == before + failing);
            Checkpoint checkpoint = test.store.beginCheckpoint();
            boolean failed = false;
            try {
                checkpoint.write();
            } catch (ObjectStoreException e) {
                failed = true;
            }
            checkpoint.abandon();
            test.disk.failCalls(_ -> false);
            test.apply(batches.next(30));
            test.checkpoint();
            test.drain();
            assertThat(test.space.usedBlocks()).as("call " + call).isEqualTo(test.treeBlocks());
            test.restart();
            test.assertGood("call " + call);
            if (!failed) {
                assertThat(call).isGreaterThan(2);
                return;
            }
        }
    }

    @Test
    void aFullDeviceLosesNothing() {
        TestStore test = new TestStore(200, CACHE_BYTES);
        RandomBatches batches = new RandomBatches(3, 100);
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 60; i++) {
            batch.put(new byte[] {(byte) i}, new byte[3000]);
        }
        test.apply(batch);
        test.checkpoint();
        batch.clear();
        for (int i = 60; i < 250; i++) {
            batch.put(new byte[] {(byte) i}, new byte[3000]);
        }
        test.apply(batch);
        Checkpoint checkpoint = test.store.beginCheckpoint();
        assertThatThrownBy(checkpoint::write)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOSPC));
        checkpoint.abandon();
        test.apply(new WriteBatch().deleteRange(new byte[] {50}, new byte[] {(byte) 255}));
        test.drain();
        test.checkpoint();
        test.drain();
        assertThat(test.space.usedBlocks()).isEqualTo(test.treeBlocks());
        test.restart();
        test.assertGood("after a full device");
        test.apply(batches.next(5));
        test.checkpoint();
    }
}
