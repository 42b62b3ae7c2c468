package org.ustore.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What cluster to start.
 *
 * <p>OSDs of one pool name form one CRUSH root of that name with one pool on it. With one store there is one pool
 * {@value #SHARED_POOL} of size min(3, OSDs); with several, each store has a pool of its own, of size 1, so that the same
 * workload can run on each.
 *
 * @param directory everything lives here; must not exist, or be empty
 * @param osds the pool of each OSD and its store, in the order of their ids; 1 to {@value #MAX_OSDS}
 * @param deviceBytes size of each OSD's device file
 * @param memoryBytes what each OSD may use, whatever its store
 * @param placementGroups of each pool, a power of two
 */
public record ClusterSpec(Path directory, List<OsdSpec> osds, long deviceBytes, long memoryBytes, int placementGroups) {
    public static final String SHARED_POOL = "rbd";
    public static final int MAX_OSDS = 9;
    public static final long MIN_DEVICE_BYTES = 2L << 30;
    public static final long MIN_MEMORY_BYTES = 512L << 20;
    public static final long DEFAULT_DEVICE_BYTES = 10L << 30;
    public static final long DEFAULT_MEMORY_BYTES = 1L << 30;
    private static final int PLACEMENT_GROUPS = 16;

    /** One OSD: the pool it serves and its store. */
    public record OsdSpec(String pool, StoreKind store) {}

    public ClusterSpec {
        osds = List.copyOf(osds);
        directory = directory.toAbsolutePath().normalize();
        require(!osds.isEmpty() && osds.size() <= MAX_OSDS, "osds", osds.size(), "1 to " + MAX_OSDS);
        require(
                deviceBytes >= MIN_DEVICE_BYTES && deviceBytes % 4096 == 0,
                "size",
                ByteSize.format(deviceBytes),
                "at least " + ByteSize.format(MIN_DEVICE_BYTES) + ", a multiple of 4K");
        require(
                memoryBytes >= MIN_MEMORY_BYTES,
                "memory",
                ByteSize.format(memoryBytes),
                "at least " + ByteSize.format(MIN_MEMORY_BYTES));
    }

    /** All OSDs on one store and in one pool. */
    public static ClusterSpec uniform(Path directory, StoreKind store, int osds) {
        List<OsdSpec> list = new ArrayList<>();
        for (int i = 0; i < osds; i++) {
            list.add(new OsdSpec(SHARED_POOL, store));
        }
        return sized(directory, list);
    }

    /** UStore on even ids, BlueStore on odd ones, a pool of size 1 on each. */
    public static ClusterSpec mixed(Path directory, int osds) {
        List<OsdSpec> list = new ArrayList<>();
        for (int i = 0; i < osds; i++) {
            StoreKind store = i % 2 == 0 ? StoreKind.USTORE : StoreKind.BLUESTORE;
            list.add(new OsdSpec(store.label(), store));
        }
        return sized(directory, list);
    }

    /** With the default sizes. */
    public static ClusterSpec sized(Path directory, List<OsdSpec> osds) {
        return new ClusterSpec(directory, osds, DEFAULT_DEVICE_BYTES, DEFAULT_MEMORY_BYTES, PLACEMENT_GROUPS);
    }

    public ClusterSpec withSizes(long newDeviceBytes, long newMemoryBytes) {
        return new ClusterSpec(directory, osds, newDeviceBytes, newMemoryBytes, placementGroups);
    }

    /** The names of the pools, each once, in the order of the OSDs. */
    public List<String> pools() {
        return osds.stream().map(OsdSpec::pool).distinct().toList();
    }

    /** Whether any OSD is on this store. */
    public boolean uses(StoreKind store) {
        return osds.stream().anyMatch(osd -> osd.store() == store);
    }

    /** Copies of each object in every pool. */
    public int replicas() {
        return pools().size() > 1 ? 1 : Math.min(3, osds.size());
    }

    private static void require(boolean condition, String name, Object value, String limit) {
        if (!condition) {
            throw new IllegalArgumentException(name + " " + value + " is out of range: " + limit);
        }
    }
}
