package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.Model;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.SimulatedDisk;

/** A tree on a disk that can fail, the free space beside it, and what the tree should hold. */
final class TestStore {
    final int blocks;
    final long cacheBytes;
    final SimulatedDisk disk;
    BlockDevice device;
    BlockMap space;
    TreeStore store;
    Model model = new Model();
    /** What the superblock has. */
    RootRef root = RootRef.EMPTY;

    Model installed = new Model();

    TestStore(int blocks, long cacheBytes) {
        this(blocks, cacheBytes, 1);
    }

    /** {@code seed} decides what a power cut loses. */
    TestStore(int blocks, long cacheBytes, long seed) {
        this.blocks = blocks;
        this.cacheBytes = cacheBytes;
        this.disk = new SimulatedDisk((long) blocks * BlockDevice.BLOCK_BYTES, seed);
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
    void restart() {
        disk.restart();
        device = disk.open(false);
        reopen();
        model = installed.copy();
    }

    private void reopen() {
        space = new BlockMap(blocks);
        store = TreeStore.open(device, space, cacheBytes, root);
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
