package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.MetadataStoreContract;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.SimulatedDisk;

/** The contract, on a simulated disk that is switched off before each reopening. */
final class TreeStoreContractTest extends MetadataStoreContract {
    private static final int BLOCKS = 32_768;
    private static final long CACHE_BYTES = 64 << 20;

    private SimulatedDisk disk = new SimulatedDisk(0, 0);
    private BlockDevice device = disk.open(false);

    @BeforeEach
    void newDisk() {
        disk = new SimulatedDisk((long) BLOCKS * BlockDevice.BLOCK_BYTES, 1);
        device = disk.open(false);
    }

    @Override
    protected MetadataStore create() {
        return TreeStore.open(device, new BlockMap(BLOCKS), CACHE_BYTES, RootRef.EMPTY);
    }

    @Override
    protected MetadataStore reopen(RootRef root) {
        disk.restart();
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
