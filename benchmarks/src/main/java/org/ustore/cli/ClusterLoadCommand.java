package org.ustore.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.MixedLoad;
import org.ustore.cluster.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ustore cluster load}: a long mixed load with kills, then every check there is. */
@Command(
        name = "load",
        description = {
            "Write to a running cluster, kill and restart OSDs meanwhile, then check everything.",
            "Exit code 1 unless it is healthy, scrubs clean and holds all that was acknowledged."
        })
final class ClusterLoadCommand implements Callable<Integer> {
    private static final int MAX_MINUTES = 24 * 60;
    private static final int MAX_KILLS = 100;
    private static final Duration REPORT_EVERY = Duration.ofSeconds(30);

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "10", description = "1 to 1440 (default: 10).")
    private int minutes;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "2",
            description = "OSDs killed with SIGKILL and restarted, spread over the time, 0 to 100 (default: 2).")
    private int kills;

    @Option(names = "--seed", paramLabel = "S", description = "Seed of the load (default: a new one, printed).")
    private @Nullable Long seed;

    @Option(names = "--dir", paramLabel = "DIR", description = ClusterCommand.DIR_HELP)
    private @Nullable Path directory;

    @Option(names = "--json", description = "Print one JSON document.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        require("--minutes", minutes, 1, MAX_MINUTES);
        require("--kills", kills, 0, MAX_KILLS);
        Progress progress = Progress.stderr();
        CephCluster cluster = CephCluster.open(ClusterOptions.directory(directory), progress);
        if (kills > 0 && cluster.spec().replicas() < 3) {
            progress.say("the pool keeps " + cluster.spec().replicas()
                    + " copies: writes wait while an OSD is away; next: ./ustore cluster up --osds 3");
        }
        cluster.waitHealthy(Duration.ofMinutes(2));
        long chosen = seed == null ? System.nanoTime() : seed;
        progress.say("seed " + chosen);
        MixedLoad.Outcome outcome = run(cluster, chosen, progress);
        print(outcome, chosen);
        return outcome.ok() ? 0 : 1;
    }

    private MixedLoad.Outcome run(CephCluster cluster, long chosen, Progress progress) throws InterruptedException {
        String pool = cluster.spec().pools().getFirst();
        long start = System.nanoTime();
        Duration part = Duration.ofMinutes(minutes).dividedBy(2L * kills + 1);
        try (MixedLoad load = new MixedLoad(cluster, pool, chosen, progress)) {
            load.start();
            for (int i = 0; i < kills; i++) {
                int osd = i % cluster.spec().osds().size();
                runUntil(load, start + part.multipliedBy(2L * i + 1).toNanos(), progress);
                load.kill(osd);
                runUntil(load, start + part.multipliedBy(2L * i + 2).toNanos(), progress);
                load.restart(osd);
            }
            runUntil(load, start + Duration.ofMinutes(minutes).toNanos(), progress);
            return load.finish();
        }
    }

    private static void runUntil(MixedLoad load, long end, Progress progress) throws InterruptedException {
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            Thread.sleep(Math.min(Duration.ofNanos(left).toMillis() + 1, REPORT_EVERY.toMillis()));
            load.check();
            progress.say(load.acknowledged() + " writes acknowledged");
        }
    }

    private void print(MixedLoad.Outcome outcome, long chosen) {
        if (json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("seed", chosen);
            document.put("minutes", minutes);
            document.put("kills", outcome.kills());
            document.put("acknowledged", outcome.acknowledged());
            document.put("verified_bytes", outcome.verifiedBytes());
            document.put("problems", outcome.problems());
            document.put("ok", outcome.ok());
            Output.json(document);
            return;
        }
        outcome.problems().forEach(problem -> System.out.println("FAILED " + problem));
        System.out.printf(
                "%s: %d minutes, %d writes acknowledged, %d OSDs killed and restarted, %d MiB read back and compared,"
                        + " deep scrub %s (seed %d)%n",
                outcome.ok() ? "ok" : "FAILED",
                minutes,
                outcome.acknowledged(),
                outcome.kills(),
                outcome.verifiedBytes() >> 20,
                outcome.ok() ? "clean, HEALTH_OK" : "done",
                chosen);
    }

    private static void require(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " " + value + " is out of range: " + min + " to " + max);
        }
    }
}
