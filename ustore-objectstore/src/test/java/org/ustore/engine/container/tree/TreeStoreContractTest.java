package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.MetadataStoreContract;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.FaultDisk;

/** The contract, with a cache of 1 MiB at first and all pages read from the device again after each reopening. */
final class TreeStoreContractTest extends MetadataStoreContract {
    private static final int BLOCKS = 32_768;
    private static final long CACHE_BYTES = 64 << 20;

    private FaultDisk disk = new FaultDisk(0);
    private BlockDevice device = disk.open(false);

    @BeforeEach
    void newDisk() {
        disk = new FaultDisk((long) BLOCKS * BlockDevice.BLOCK_BYTES);
        device = disk.open(false);
    }

    @Override
    protected MetadataStore create() {
        return TreeStore.open(device, new BlockMap(BLOCKS), CACHE_BYTES, RootRef.EMPTY);
    }

    @Override
    protected MetadataStore reopen(RootRef root) {
        disk.powerOff();
        disk.restart(new Random(root.generation()));
        device = disk.open(false);
        BlockMap space = new BlockMap(BLOCKS);
        TreeStore store = TreeStore.open(device, space, CACHE_BYTES, root);
        store.forEachPage(space::take);
        return store;
    }

    @Override
    protected void check(MetadataStore store, String when) {
        List<String> errors = new ArrayList<>();
        long pages = ((TreeStore) store).verify(errors::add);
        assertThat(errors).as(when).isEmpty();
        assertThat(pages).as(when).isPositive();
    }
}
