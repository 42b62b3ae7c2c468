package org.ustore.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Three stock OSDs on UStore, a pool of three copies: load, kill -9, scrub, and the tool on a stopped OSD. */
@Tag("cluster")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class UStoreClusterTest {
    private static final Path DIRECTORY =
            Path.of(System.getProperty("ustore.test.dir", "target/cluster")).resolve("three");
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String POOL = ClusterSpec.SHARED_POOL;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final long seed = Long.getLong("ustore.seed", System.nanoTime() & Long.MAX_VALUE);

    @SuppressWarnings("NullAway.Init")
    private CephCluster cluster;

    @BeforeAll
    void start() {
        ClusterSpec spec =
                ClusterSpec.uniform(DIRECTORY, StoreKind.USTORE, 3).withSizes(4L << 30, ClusterSpec.MIN_MEMORY_BYTES);
        cluster = CephCluster.start(spec, Progress.stderr());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    @Test
    void nothingAcknowledgedIsLostWhenOsdsAreKilledUnderLoad() {
        try (MixedLoad load = new MixedLoad(cluster, POOL, seed, Progress.stderr())) {
            load.start();
            load.awaitMore(1500);
            load.kill(1);
            load.awaitMore(300);
            load.restart(1);
            load.awaitMore(300);
            load.kill(2);
            load.restart(2);
            load.awaitMore(300);
            assertThat(load.finish().problems())
                    .as("repeat with -Dustore.seed=" + seed)
                    .isEmpty();
        }
    }

    @Test
    void theToolReadsExportsRemovesAndImportsOnAStoppedOsd() throws IOException {
        byte[] content = new byte[300_000];
        new Random(seed).nextBytes(content);
        rados("put", "tool-object", "-").withInput(content).output();
        rados("setxattr", "tool-object", "colour", "green").output();
        rados("setomapval", "tool-object", "key", "value").output();
        JsonNode map = cluster.ceph("osd", "map", POOL, "tool-object");
        String pg = map.path("pgid").asText();

        cluster.stopOsd(0);
        assertThat(tool("--op", "fsck")).contains("fsck success");
        assertThat(tool("--op", "list-pgs").lines()).contains(pg).hasSize(16);
        assertThat(JSON.readTree(tool("--op", "info", "--pgid", pg))
                        .path("pgid")
                        .asText())
                .isEqualTo(pg);
        String object = tool("--op", "list", "--pgid", pg, "tool-object").strip();
        assertThat(object).contains("\"oid\":\"tool-object\"");

        Path got = DIRECTORY.resolve("got");
        tool("--pgid", pg, object, "get-bytes", got.toString());
        assertThat(Files.readAllBytes(got)).isEqualTo(content);
        assertThat(tool("--pgid", pg, object, "list-attrs")).contains("_colour");
        assertThat(tool("--pgid", pg, object, "list-omap")).contains("key");

        Map<String, Long> before = listing(pg);
        Path export = DIRECTORY.resolve("export");
        tool("--op", "export", "--pgid", pg, "--file", export.toString());
        tool("--op", "remove", "--pgid", pg, "--force");
        assertThat(tool("--op", "list-pgs").lines()).doesNotContain(pg).hasSize(15);
        assertThat(tool("--op", "fsck")).contains("fsck success");
        tool("--op", "import", "--pgid", pg, "--file", export.toString());
        assertThat(listing(pg)).isEqualTo(before);
        assertThat(tool("--op", "fsck")).contains("fsck success");

        cluster.startOsd(0);
        cluster.waitHealthy(LIMIT);
        assertThat(cluster.deepScrub(LIMIT)).isEmpty();
        rados("get", "tool-object", got.toString()).output();
        assertThat(Files.readAllBytes(got)).isEqualTo(content);
    }

    private Map<String, Long> listing(String pg) {
        return tool("--op", "list", "--pgid", pg)
                .lines()
                .collect(Collectors.groupingBy(line -> line, Collectors.counting()));
    }

    private String tool(String... arguments) {
        Command.Result result = cluster.objectstoreTool(0, arguments).run();
        assertThat(result.exitCode())
                .as(String.join(" ", arguments) + ": " + result.err())
                .isZero();
        // fsck reports where errors go.
        return List.of(arguments).contains("fsck") ? result.out() + result.err() : result.out();
    }

    private Command rados(String... arguments) {
        String[] argv = new String[arguments.length + 3];
        argv[0] = "rados";
        argv[1] = "-p";
        argv[2] = POOL;
        System.arraycopy(arguments, 0, argv, 3, arguments.length);
        return cluster.command(argv);
    }
}
