package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.Model;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.FaultDisk;

/** A tree on a disk that can fail, the free space beside it, and what the tree should hold. */
final class TestStore {
    final int blocks;
    final long cacheBytes;
    final FaultDisk disk;
    BlockDevice device;
    BlockMap space;
    TreeStore store;
    Model model = new Model();
    /** What the superblock has. */
    RootRef root = RootRef.EMPTY;

    Model installed = new Model();

    TestStore(int blocks, long cacheBytes) {
        this.blocks = blocks;
        this.cacheBytes = cacheBytes;
        this.disk = new FaultDisk((long) blocks * BlockDevice.BLOCK_BYTES);
        this.device = disk.open(false);
        this.space = new BlockMap(blocks);
        this.store = TreeStore.open(device, space, cacheBytes, root);
    }

    void apply(WriteBatch batch) {
        store.apply(batch);
        batch.forEach(model);
    }

    /** Applies, with a checkpoint whenever one is wanted. */
    void applyAndCheckpoint(WriteBatch batch) {
        apply(batch);
        if (store.wantsCheckpoint()) {
            checkpoint();
            drain();
        }
    }

    void checkpoint() {
        Checkpoint checkpoint = store.beginCheckpoint();
        Model frozen = model.copy();
        root = checkpoint.write();
        installed = frozen;
        checkpoint.installed();
    }

    /** Does all work there is. */
    void drain() {
        while (store.work(100) > 0) {
            // Until nothing is left.
        }
    }

    /** The power goes and comes back: the tree is that of the superblock. */
    void restart(long seed) {
        disk.powerOff();
        disk.restart(new Random(seed));
        device = disk.open(false);
        reopen(device);
        model = installed.copy();
    }

    /** Opens the tree anew on {@code through}. */
    void reopen(BlockDevice through) {
        space = new BlockMap(blocks);
        store = TreeStore.open(through, space, cacheBytes, root);
        store.forEachPage(space::take);
    }

    List<String> errors() {
        List<String> errors = new ArrayList<>();
        assertThat(store.verify(errors::add)).isPositive();
        return errors;
    }

    void assertGood(String when) {
        assertThat(errors()).as(when).isEmpty();
        try (Snapshot now = store.snapshot()) {
            model.assertSame(now, when);
        }
    }

    /** Blocks of the present tree. */
    int treeBlocks() {
        int[] sum = {0};
        store.forEachPage((_, count) -> sum[0] += count);
        return sum[0];
    }
}
