package org.ustore.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stock {@code ceph-osd --mkfs} with the assembled UStore: what an operator sees when all is well and when something is
 * missing. An OSD makes its store, mounts it, writes its first transaction and unmounts, all without a cluster.
 */
@Tag("native")
final class OsdStartIT {
    private static final String CEPH_VERSION = "16.2.15";
    private static final Path OSD = Path.of("/usr/bin/ceph-osd");
    private static final Path TOOL = Path.of("/usr/bin/ceph-objectstore-tool");
    private static final Path HOME = Path.of("target", "ustore").toAbsolutePath();
    private static final Path NATIVE = Path.of("target", "native-test").toAbsolutePath();
    private static final String PRELOAD = "libustore-ceph.so";
    private static final String STAGE = "libustore-ceph-16.so";
    private static final String JAR = "ustore-osd.jar";
    private static final long TIMEOUT_SECONDS = 120;

    @TempDir
    private Path folder;

    private Path data;

    private record Result(int exit, String output) {
        /** It ended by itself, with an error, after saying these things; no crash. */
        void isRefusedWith(String... parts) {
            assertThat(output).contains(parts).doesNotContain("Caught signal");
            assertThat(exit).as(output).isNotZero().isLessThan(256).isNotEqualTo(128 + 6);
        }
    }

    @BeforeAll
    static void assumeCeph() throws IOException, InterruptedException {
        assumeTrue(Files.exists(OSD), OSD + " is not there: next: apt-get install ceph-osd");
        Process process = new ProcessBuilder(OSD.toString(), "--version").start();
        String version = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assumeTrue(version.contains(" " + CEPH_VERSION + " "), "needs Ceph " + CEPH_VERSION + ", found " + version);
    }

    @BeforeEach
    void makeOsdFolder() throws IOException {
        data = Files.createDirectory(folder.resolve("osd"));
        Files.writeString(data.resolve("type"), "ustore\n");
        Files.writeString(folder.resolve("ceph.conf"), """
                [global]
                fsid = 6c9d1a52-4c2f-4dd0-8c5f-1f1f6a4b7e10
                auth cluster required = none
                auth service required = none
                auth client required = none
                keyring = /dev/null
                run dir = %1$s
                admin socket =
                pid file =
                crash dir = %1$s
                log file = %1$s/osd.log
                """.formatted(folder));
        configure("device_size = 1G", "log_size = 16M", "heap_max = 128M", "direct_max = 128M");
    }

    private void configure(String... lines) throws IOException {
        Files.write(data.resolve("ustore.conf"), List.of(lines));
    }

    // --- all is well ------------------------------------------------------------------------------------------------

    @Test
    void anOsdMakesItsStoreAndTheToolReadsIt() throws Exception {
        Result made = mkfs(HOME.resolve(PRELOAD));
        assertThat(made.exit).as(made.output).isZero();
        assertThat(data.resolve("type")).hasContent("ustore");
        assertThat(data.resolve("block")).exists();

        Result again = mkfs(HOME.resolve(PRELOAD));
        assertThat(again.exit)
                .as("mkfs of a made store changes nothing: " + again.output)
                .isZero();

        Result fsck = tool("--op", "fsck");
        assertThat(fsck.exit).as(fsck.output).isZero();
        assertThat(fsck.output).contains("fsck success");
        Result list = tool("--op", "meta-list");
        assertThat(list.exit).as(list.output).isZero();
        assertThat(list.output).contains("osd_superblock");
    }

    @Test
    void anotherFsidDoesNotTakeOverAMadeStore() throws Exception {
        assertThat(mkfs(HOME.resolve(PRELOAD)).exit).isZero();
        Files.copy(data.resolve("block"), folder.resolve("before"));
        Result other = run(osd(HOME.resolve(PRELOAD), "99999999-8888-7777-6666-555555555555"));
        other.isRefusedWith("already holds the store of OSD 11111111-2222-3333-4444-555555555555", "Next:");
        assertThat(Files.mismatch(data.resolve("block"), folder.resolve("before")))
                .isEqualTo(-1);
    }

    @Test
    void otherTypesAreLeftAlone() throws Exception {
        Files.writeString(data.resolve("type"), "memstore\n");
        Result result = mkfs(HOME.resolve(PRELOAD));
        assertThat(result.exit).as(result.output).isZero();
        assertThat(result.output).doesNotContain("ustore:");
        assertThat(data.resolve("block")).doesNotExist();
    }

    // --- something is missing or wrong ------------------------------------------------------------------------------

    @Test
    void noJava() throws Exception {
        configure("device_size = 1G", "java_home = /nonexistent");
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("needs Java 25", "/nonexistent (no Java there)", "Next: install");
        assertNothingMade();
    }

    @Test
    void anotherJava() throws Exception {
        Path java = Files.createDirectories(folder.resolve("java"));
        Files.writeString(java.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
        configure("device_size = 1G", "java_home = " + java);
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("needs Java 25", "(Java 21.0.1)", "Next: install");
        assertNothingMade();
    }

    @Test
    void noJar() throws Exception {
        Path home = homeWith(PRELOAD, STAGE);
        mkfs(home.resolve(PRELOAD)).isRefusedWith("cannot read " + home.resolve(JAR), "Next: keep " + JAR);
        assertNothingMade();
    }

    @Test
    void jarOfAnotherBuild() throws Exception {
        Path home = homeWith(PRELOAD, STAGE);
        writeJarOfBuild(home.resolve(JAR), "0.0.1 interface 0");
        mkfs(home.resolve(PRELOAD)).isRefusedWith("does not match " + STAGE, "0.0.1 interface 0", "Next: install");
        assertNothingMade();
    }

    @Test
    void noSecondStage() throws Exception {
        mkfs(homeWith(PRELOAD, JAR).resolve(PRELOAD)).isRefusedWith("cannot load the store", STAGE, "Next:");
        assertNothingMade();
    }

    @Test
    void settingsThatCannotBe() throws Exception {
        configure("device_size = 1G", "heap_max = lots");
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("ustore.conf line 2", "heap_max = lots", "at least 64M");
        configure("device_size = 1G", "devise = block");
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("devise", "device_size");
        configure("device_size = 1G", "jvm_options = -XX:+NoSuchOption");
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("NoSuchOption", "does not start", "Next: correct");
        configure("device_size = 1G", "heap_max = 1048575G");
        mkfs(HOME.resolve(PRELOAD)).isRefusedWith("ustore: jvm:", "heap");
        assertNothingMade();
    }

    @Test
    void anUnknownRelease() throws Exception {
        Result result = mkfs(NATIVE.resolve("libustore-ceph-other.so"));
        result.isRefusedWith("is Ceph " + CEPH_VERSION, "knows Ceph 99.9.9", "Next: install");
        assertNothingMade();
    }

    @Test
    void memoryThatMustNotBecomeExecutable() throws Exception {
        List<String> command = new ArrayList<>(
                List.of(NATIVE.resolve("deny-write-exec").toString(), "LD_PRELOAD=" + HOME.resolve(PRELOAD)));
        ProcessBuilder osd = osd(HOME.resolve(PRELOAD), "11111111-2222-3333-4444-555555555555");
        command.addAll(osd.command());
        osd.command(command).environment().remove("LD_PRELOAD");
        Result result = run(osd);
        assumeTrue(result.exit != 77, "this kernel has no PR_SET_MDWE");
        result.isRefusedWith("MemoryDenyWriteExecute", "/etc/systemd/system/ceph-osd@.service.d/ustore.conf");
        assertNothingMade();
    }

    // --- Java fails -------------------------------------------------------------------------------------------------

    @Test
    void anExceptionInATransactionStopsTheOsdWithItsCauseInTheLog() throws Exception {
        plant("queueTransactions");
        Result result = mkfs(HOME.resolve(PRELOAD));
        assertThat(result.exit).as(result.output).isNotZero();
        String log = Files.readString(folder.resolve("osd.log"));
        assertThat(log)
                .contains(
                        "a transaction cannot be applied: java.lang.IllegalStateException: planted in queueTransactions")
                .contains("at org.ustore.ceph.FaultyStoreFactory")
                .contains("ceph_abort_msg");
        assertThat(data.resolve("ready")).doesNotExist();
    }

    @Test
    void anExceptionInAReadIsAnErrorOfThatReadOnly() throws Exception {
        assertThat(mkfs(HOME.resolve(PRELOAD)).exit).isZero();
        plant("read");
        Result result = mkfs(HOME.resolve(PRELOAD)); // of a made store: it reads the superblock
        String log = Files.readString(folder.resolve("osd.log"));
        assertThat(log)
                .contains("IllegalStateException: planted in read")
                .contains("at org.ustore.ceph.FaultyStoreFactory")
                .doesNotContain("Caught signal");
        assertThat(result.output).doesNotContain("Caught signal");
    }

    private void plant(String method) throws IOException {
        Path services = Files.createDirectories(folder.resolve("classes/META-INF/services"));
        Files.writeString(services.resolve(StoreFactory.class.getName()), FaultyStoreFactory.class.getName());
        String classes = folder.resolve("classes") + ":"
                + Path.of("target", "test-classes").toAbsolutePath();
        configure(
                "device_size = 1G",
                "log_size = 16M",
                "jvm_options = -Dustore.test.fault=" + method + " -Djava.class.path=" + classes + ":"
                        + HOME.resolve(JAR));
    }

    // --- shared -----------------------------------------------------------------------------------------------------

    private void assertNothingMade() throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .doesNotContain("block", "mkfs_done", "ready")
                    .noneMatch(name -> name.startsWith("hs_err") || name.startsWith("core"));
        }
    }

    private Path homeWith(String... files) throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        for (String file : files) {
            Files.copy(HOME.resolve(file), home.resolve(file));
        }
        return home;
    }

    private static void writeJarOfBuild(Path jar, String build) throws IOException {
        Files.copy(HOME.resolve(JAR), jar);
        try (FileSystem zip = FileSystems.newFileSystem(jar)) {
            Files.writeString(zip.getPath("org/ustore/ceph/build-id"), build + "\n");
        }
    }

    private Result mkfs(Path preload) throws IOException, InterruptedException {
        return run(osd(preload, "11111111-2222-3333-4444-555555555555"));
    }

    private ProcessBuilder osd(Path preload, String uuid) {
        ProcessBuilder builder = new ProcessBuilder(
                OSD.toString(),
                "-c",
                folder.resolve("ceph.conf").toString(),
                "-i",
                "9",
                "--osd-data",
                data.toString(),
                "--no-mon-config",
                "--mkfs",
                "--osd-uuid",
                uuid);
        builder.environment().put("LD_PRELOAD", preload.toString());
        builder.environment().remove("CEPH_ARGS");
        return builder;
    }

    private Result tool(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(TOOL.toString(), "--data-path", data.toString(), "--no-mon-config"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LD_PRELOAD", HOME.resolve(PRELOAD).toString());
        builder.environment().put("CEPH_CONF", folder.resolve("ceph.conf").toString());
        return run(builder);
    }

    private Result run(ProcessBuilder builder) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "run", ".out");
        Process process = builder.directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new IOException(builder.command() + " did not end within " + TIMEOUT_SECONDS + " s; output: "
                    + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output));
    }
}
