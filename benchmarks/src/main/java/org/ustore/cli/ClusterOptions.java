package org.ustore.cli;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.ustore.cluster.ClusterSpec;
import org.ustore.cluster.StoreKind;
import picocli.CommandLine.Option;

/** What cluster to start, shared by the commands that start one. */
final class ClusterOptions {
    /** What {@code --store} takes. */
    enum StoreChoice {
        USTORE,
        BLUESTORE,
        MIXED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--osds",
            paramLabel = "N",
            description = "Number of OSDs, 1 to " + ClusterSpec.MAX_OSDS + " (default: 3; mixed: 2).")
    private int osds;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            defaultValue = "ustore",
            description = "ustore, bluestore, or mixed: UStore on even ids, BlueStore on odd ones, a pool on each"
                    + " (default: ustore).")
    private StoreChoice store = StoreChoice.USTORE;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "10G",
            description = "Size of each OSD's device file, at least 2G (default: 10G).")
    private ByteSizeOption size = new ByteSizeOption(ClusterSpec.DEFAULT_DEVICE_BYTES);

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "1G",
            description = "What each OSD may use for caches and heap, at least 512M (default: 1G).")
    private ByteSizeOption memory = new ByteSizeOption(ClusterSpec.DEFAULT_MEMORY_BYTES);

    ClusterSpec spec(Path directory) {
        int count = osds == 0 ? (store == StoreChoice.MIXED ? 2 : 3) : osds;
        if (count < 1 || count > ClusterSpec.MAX_OSDS) {
            throw new IllegalArgumentException("--osds " + count + " is out of range: 1 to " + ClusterSpec.MAX_OSDS);
        }
        if (store == StoreChoice.MIXED && count < 2) {
            throw new IllegalArgumentException("--osds " + count + " is too few for --store mixed: at least 2");
        }
        ClusterSpec spec = switch (store) {
            case MIXED -> ClusterSpec.mixed(directory, count);
            case USTORE -> ClusterSpec.uniform(directory, StoreKind.USTORE, count);
            case BLUESTORE -> ClusterSpec.uniform(directory, StoreKind.BLUESTORE, count);
        };
        return spec.withSizes(size.bytes(), memory.bytes());
    }

    static Path directory(@Nullable Path given) {
        return given == null ? Workspace.clusterDirectory("cluster") : given;
    }
}
