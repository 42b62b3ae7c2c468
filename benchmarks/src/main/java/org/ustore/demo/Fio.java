package org.ustore.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.ClusterException;
import org.ustore.cluster.Command;

/**
 * fio with its rbd engine on one image. Everything it writes carries fio's verification header in every 4 KiB, so that a later
 * client can check every byte.
 */
final class Fio {
    // Linux has counted process time in 1/100 s for user space since ever (USER_HZ).
    private static final double MICROS_PER_TICK = 10_000;
    private static final int UTIME_AFTER_NAME = 11;
    private static final int STIME_AFTER_NAME = 12;
    private static final Duration MARGIN = Duration.ofSeconds(90);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CephCluster cluster;
    private final String pool;
    private final int osd;
    private final String image;

    /** One run of one cell. */
    record Sample(double iops, double meanMicros, double p99Micros, double cpuMicrosPerOp) {}

    Fio(CephCluster cluster, String pool, int osd, String image) {
        this.cluster = cluster;
        this.pool = pool;
        this.osd = osd;
        this.image = image;
    }

    /** Writes the whole image once with content that differs from call to call. */
    void fill() {
        List<String> args = new ArrayList<>(List.of("--rw=write", "--bs=64k", "--iodepth=16", "--randrepeat=0"));
        args.addAll(writing());
        run(args, MARGIN.multipliedBy(2));
    }

    Sample measure(Workload workload, int seconds) {
        List<String> args = new ArrayList<>(List.of(
                "--rw=" + workload.pattern(),
                "--bs=" + workload.blockSize(),
                "--iodepth=" + workload.depth(),
                "--time_based",
                "--runtime=" + seconds,
                "--lat_percentiles=1",
                "--clat_percentiles=0",
                "--percentile_list=99"));
        if (workload.writes()) {
            args.addAll(writing());
        }
        double before = cpuMicros();
        JsonNode job = run(args, MARGIN.plusSeconds(seconds));
        double cpu = cpuMicros() - before;
        JsonNode side = job.path(workload.writes() ? "write" : "read");
        long operations = side.path("total_ios").asLong();
        if (operations == 0) {
            throw new ClusterException(
                    "fio did no operation in " + seconds + " s: " + workload.label() + " on " + pool);
        }
        JsonNode latency = side.path("lat_ns");
        return new Sample(
                side.path("iops").asDouble(),
                latency.path("mean").asDouble() / 1e3,
                latency.path("percentile").path("99.000000").asDouble() / 1e3,
                cpu / operations);
    }

    /** Reads the whole image in a new process and checks the checksum and the place of every 4 KiB; exit code 0 if all hold. */
    Command.Result verify() {
        return command(List.of("--rw=read", "--bs=64k", "--iodepth=16", "--verify=crc32c", "--verify_interval=4096"))
                .withLimit(MARGIN.multipliedBy(2))
                .run();
    }

    private static List<String> writing() {
        return List.of("--verify=crc32c", "--verify_interval=4096", "--do_verify=0");
    }

    private Command command(List<String> args) {
        List<String> argv = new ArrayList<>(List.of(
                "fio",
                "--name=cell",
                "--ioengine=rbd",
                "--clientname=admin",
                "--pool=" + pool,
                "--rbdname=" + image,
                "--output-format=json",
                // It would leave a file in the current folder for a continuation that there is none of.
                "--verify_state_save=0"));
        argv.addAll(args);
        return cluster.command(argv.toArray(String[]::new));
    }

    private JsonNode run(List<String> args, Duration limit) {
        String out = command(args).withLimit(limit).output();
        try {
            // fio prints notes before the document.
            return JSON.readTree(out.substring(Math.max(0, out.indexOf('{'))))
                    .path("jobs")
                    .path(0);
        } catch (JsonProcessingException e) {
            throw new ClusterException("fio printed no JSON: " + Command.tail(out, 10), e);
        }
    }

    /** Processor time of the OSD so far, user and system. */
    private double cpuMicros() {
        long pid = cluster.pid(CephCluster.osd(osd));
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            List<String> fields =
                    List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
            long ticks = Long.parseLong(fields.get(UTIME_AFTER_NAME)) + Long.parseLong(fields.get(STIME_AFTER_NAME));
            return ticks * MICROS_PER_TICK;
        } catch (IOException e) {
            throw new UncheckedIOException("osd." + osd + " does not run", e);
        }
    }
}
