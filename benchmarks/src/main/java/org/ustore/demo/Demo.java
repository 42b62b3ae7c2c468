package org.ustore.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.ClusterSpec;
import org.ustore.cluster.ClusterSpec.OsdSpec;
import org.ustore.cluster.Progress;
import org.ustore.cluster.StoreKind;

/** The demo's script, from an empty folder to a {@link DemoReport}. */
public final class Demo {
    private static final String IMAGE = "bench";
    private static final long IMAGE_BYTES = 512L << 20;

    private final Settings settings;
    private final Progress progress;
    private final long start = System.nanoTime();

    /**
     * What can be chosen.
     *
     * @param seconds of each cell
     * @param rounds of each cell; the stores take turns
     * @param control BlueStore on both sides: shows the noise of the machine
     * @param keep leaves the cluster running at the end
     */
    public record Settings(
            Path directory,
            int seconds,
            int rounds,
            long deviceBytes,
            long memoryBytes,
            boolean control,
            boolean keep) {}

    /** A pool and the OSD under it. */
    private record Side(String name, int osd, Fio fio) {}

    public Demo(Settings settings, Progress progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /** Runs everything; the cluster is gone afterwards, unless it is to be kept. */
    public DemoReport run() {
        String first = settings.control() ? "control" : StoreKind.USTORE.label();
        StoreKind store = settings.control() ? StoreKind.BLUESTORE : StoreKind.USTORE;
        ClusterSpec spec = ClusterSpec.sized(
                        settings.directory(),
                        List.of(
                                new OsdSpec(first, store),
                                new OsdSpec(StoreKind.BLUESTORE.label(), StoreKind.BLUESTORE)))
                .withSizes(settings.deviceBytes(), settings.memoryBytes());
        CephCluster cluster = CephCluster.start(spec, progress);
        try {
            DemoReport report = run(cluster);
            if (settings.keep()) {
                cluster.keep();
            }
            return report;
        } finally {
            if (!settings.keep()) {
                progress.say("stopping the cluster and removing " + cluster.directory());
                cluster.close();
            }
        }
    }

    private DemoReport run(CephCluster cluster) {
        List<Side> sides = new ArrayList<>();
        for (String pool : cluster.spec().pools()) {
            int osd = sides.size();
            progress.say("creating and filling an RBD image of " + (IMAGE_BYTES >> 20) + " MiB on " + pool);
            cluster.createImage(pool, IMAGE, IMAGE_BYTES);
            Fio fio = new Fio(cluster, pool, osd, IMAGE);
            fio.fill();
            sides.add(new Side(pool, osd, fio));
        }
        List<DemoReport.Run> runs = measure(sides);
        Checks checks = check(cluster, sides);
        double seconds = Math.round((System.nanoTime() - start) / 1e8) / 10.0;
        return new DemoReport(
                CephCluster.cephVersion(),
                settings.deviceBytes(),
                settings.memoryBytes(),
                settings.rounds(),
                settings.seconds(),
                seconds,
                runs,
                checks.results());
    }

    private List<DemoReport.Run> measure(List<Side> sides) {
        List<DemoReport.Run> runs = new ArrayList<>();
        for (Workload workload : Workload.values()) {
            Map<String, List<Fio.Sample>> samples = new HashMap<>();
            for (int round = 0; round < settings.rounds(); round++) {
                // The one that goes first changes, so that neither always finds the disk as the other left it.
                for (Side side : round % 2 == 0 ? sides : sides.reversed()) {
                    Fio.Sample sample = side.fio().measure(workload, settings.seconds());
                    samples.computeIfAbsent(side.name(), _ -> new ArrayList<>()).add(sample);
                    progress.say("%s round %d of %d on %s: %.0f IOPS, mean %.0f us, p99 %.0f us"
                            .formatted(
                                    workload.label(),
                                    round + 1,
                                    settings.rounds(),
                                    side.name(),
                                    sample.iops(),
                                    sample.meanMicros(),
                                    sample.p99Micros()));
                }
            }
            for (Side side : sides) {
                runs.add(DemoReport.Run.of(side.name(), workload, samples.getOrDefault(side.name(), List.of())));
            }
        }
        return runs;
    }

    private Checks check(CephCluster cluster, List<Side> sides) {
        Checks checks = new Checks(cluster, progress);
        for (Side side : sides) {
            progress.say("verifying every byte of the image on " + side.name());
            checks.verifyImage("verify-" + side.name(), side.fio());
        }
        Side first = sides.getFirst();
        progress.say("writing on " + first.name() + ", then kill -9 of osd." + first.osd());
        checks.killUnderLoad(first.name(), first.osd());
        checks.verifyImage("verify-after-kill-9-" + first.name(), first.fio());
        for (Side side : sides) {
            progress.say("snapshot, overwrite, rollback on " + side.name());
            checks.snapshot(side.name(), side.osd());
        }
        progress.say("deep scrub of all pools");
        checks.deepScrub();
        checks.healthy();
        return checks;
    }
}
