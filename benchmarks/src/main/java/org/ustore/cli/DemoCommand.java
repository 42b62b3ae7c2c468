package org.ustore.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.ClusterSpec;
import org.ustore.cluster.Progress;
import org.ustore.demo.Demo;
import org.ustore.demo.DemoReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ustore demo}. */
@Command(
        name = "demo",
        description = {
            "Run UStore and BlueStore side by side in one real cluster.",
            "The same RBD workloads on both in alternation, every byte verified, a kill -9 under load, snapshots,",
            "deep scrub. Prints one table and the checks; exit code 1 if a check fails. Takes about 4 minutes and",
            "removes all it started."
        })
final class DemoCommand implements Callable<Integer> {
    private static final int MAX_SECONDS = 600;
    private static final int MAX_ROUNDS = 20;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "4",
            description = "Seconds of each cell, 1 to 600 (default: 4).")
    private int seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "Rounds of each cell, 1 to 20 (default: 3).")
    private int rounds;

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

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Folder for the cluster, on the disk to measure (default: .ustore/demo in the checkout).")
    private @Nullable Path directory;

    @Option(
            names = "--control",
            description = "BlueStore on both sides: shows how far apart equal stores come out here.")
    private boolean control;

    @Option(names = "--keep", description = "Leave the cluster running and say how to use and stop it.")
    private boolean keep;

    @Option(names = "--json", description = "Print one JSON document instead of the table.")
    private boolean json;

    @Override
    public Integer call() {
        require("--seconds", seconds, MAX_SECONDS);
        require("--rounds", rounds, MAX_ROUNDS);
        Progress progress = Progress.stderr();
        Path dir = directory == null ? Workspace.clusterDirectory("demo") : directory;
        DemoReport report = new Demo(
                        new Demo.Settings(dir, seconds, rounds, size.bytes(), memory.bytes(), control, keep), progress)
                .run();
        if (json) {
            Output.json(report);
        } else {
            report.print(System.out);
        }
        if (keep) {
            System.err.println(CephCluster.open(dir, progress).howToUse());
        }
        return report.isOk() ? 0 : 1;
    }

    private static void require(String option, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(option + " " + value + " is out of range: 1 to " + max);
        }
    }
}
