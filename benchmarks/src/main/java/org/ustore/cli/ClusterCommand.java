package org.ustore.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ustore cluster}: real clusters by hand. */
@Command(
        name = "cluster",
        description = "Start, show, load and stop a Ceph cluster on this machine (loopback only, no systemd needed).",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ClusterCommand.Up.class,
            ClusterCommand.Status.class,
            ClusterLoadCommand.class,
            ClusterCommand.Down.class
        })
final class ClusterCommand {
    static final String DIR_HELP = "Folder of the cluster (default: .ustore/cluster in the checkout).";

    @Command(name = "up", description = "Start a monitor, a manager and OSDs, wait for HEALTH_OK, leave them running.")
    static final class Up implements Runnable {
        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Option(names = "--dir", paramLabel = "DIR", description = DIR_HELP)
        private @Nullable Path directory;

        @Option(names = "--json", description = "Print the state as one JSON document.")
        private boolean json;

        @Override
        public void run() {
            CephCluster cluster =
                    CephCluster.start(options.spec(ClusterOptions.directory(directory)), Progress.stderr());
            cluster.keep();
            if (json) {
                Output.json(cluster.status());
                return;
            }
            System.out.println(cluster.howToUse());
        }
    }

    @Command(name = "status", description = "Show health and daemons; exit code 1 unless HEALTH_OK.")
    static final class Status implements java.util.concurrent.Callable<Integer> {
        @Option(names = "--dir", paramLabel = "DIR", description = DIR_HELP)
        private @Nullable Path directory;

        @Option(names = "--json", description = "Print one JSON document.")
        private boolean json;

        @Override
        public Integer call() {
            Map<String, Object> status = CephCluster.open(ClusterOptions.directory(directory), Progress.stderr())
                    .status();
            if (json) {
                Output.json(status);
            } else {
                print(status);
            }
            return "HEALTH_OK".equals(status.get("health")) ? 0 : 1;
        }

        private static void print(Map<String, Object> status) {
            System.out.printf("%s  %s  pools %s%n", status.get("health"), status.get("dir"), status.get("pools"));
            if (status.get("daemons") instanceof List<?> daemons) {
                for (Object daemon : daemons) {
                    if (daemon instanceof Map<?, ?> map) {
                        boolean running = Boolean.TRUE.equals(map.get("running"));
                        System.out.printf(
                                "%-7s %-10s %s%n",
                                map.get("name"),
                                map.get("store") == null ? "" : map.get("store"),
                                running ? "pid " + map.get("pid") + ", " + map.get("rss_mb") + " MB" : "not running");
                    }
                }
            }
        }
    }

    @Command(name = "down", description = "Stop a cluster and remove its folder with all data.")
    static final class Down implements Runnable {
        @Option(names = "--dir", paramLabel = "DIR", description = DIR_HELP)
        private @Nullable Path directory;

        @Override
        public void run() {
            Progress progress = Progress.stderr();
            CephCluster cluster = CephCluster.open(ClusterOptions.directory(directory), progress);
            progress.say("stopping the cluster in " + cluster.directory());
            cluster.close();
            System.out.println("stopped, " + cluster.directory() + " is removed");
        }
    }
}
