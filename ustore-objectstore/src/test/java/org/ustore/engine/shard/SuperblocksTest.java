package org.ustore.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.ustore.engine.StoreConfig;
import org.ustore.engine.UStore;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.IoMode;
import org.ustore.engine.device.SimulatedDisk;
import org.ustore.engine.device.SimulatedDisk.Call;
import org.ustore.engine.device.SimulatedDisk.Fault;

/** The two copies of the superblock on a device. */
final class SuperblocksTest {
    private static final long DISK_BYTES = 24L << 20;
    private static final UUID FSID = new UUID(1, 2);

    private static UStore madeStore(SimulatedDisk disk) {
        UStore store =
                new UStore(disk, new StoreConfig("block", 0, 1L << 20, "", 1L << 30, 64L << 20, "", IoMode.AUTO));
        store.mkfs(FSID);
        return store;
    }

    private static Superblock superblock(SimulatedDisk disk) {
        try (BlockDevice device = disk.open(true)) {
            return Superblocks.read(device);
        }
    }

    @Test
    void oneCopyIsDurableBeforeTheOtherIsTouched() {
        SimulatedDisk disk = new SimulatedDisk(DISK_BYTES, 1);
        madeStore(disk);
        Superblock superblock = superblock(disk);
        List<Call> calls = new ArrayList<>();
        disk.faults((call, _, _) -> {
            if (call != Call.READ) {
                calls.add(call);
            }
            return Fault.NONE;
        });
        try (BlockDevice device = disk.open(false)) {
            Superblocks.write(device, superblock);
        }
        assertThat(calls).containsExactly(Call.WRITE, Call.FLUSH, Call.WRITE, Call.FLUSH);
    }

    @Test
    void everyMountTagsItsLogAnew() {
        SimulatedDisk disk = new SimulatedDisk(DISK_BYTES, 1);
        UStore store = madeStore(disk);
        Set<Long> generations = new HashSet<>(Set.of(superblock(disk).generation()));
        for (int mount = 1; mount <= 3; mount++) {
            store.mount();
            store.umount();
            generations.add(superblock(disk).generation());
            assertThat(generations).as("after mount %s", mount).hasSize(mount + 1);
        }
    }
}
