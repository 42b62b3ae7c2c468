package org.ustore.ceph.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** The Ceph programs of this machine, and the native programs of these tests. */
final class InstalledCeph {
    /** The release whose profile is tested. */
    static final String VERSION = "16.2.15";

    static final Path OSD = Path.of("/usr/bin/ceph-osd");
    static final Path TOOL = Path.of("/usr/bin/ceph-objectstore-tool");
    static final Path COMMON = Path.of("/usr/lib/x86_64-linux-gnu/ceph/libceph-common.so.2");

    private static final Path NATIVE =
            Path.of(System.getProperty("basedir", "."), "target", "native-test").toAbsolutePath();
    private static final Path SLOTS = NATIVE.resolve("ustore-abi-slots");
    private static final Path CHECK = NATIVE.resolve("libustore-abi-check.so");
    private static final long TIMEOUT_SECONDS = 120;

    record Result(int exit, String output) {
        List<String> lines() {
            return output.lines().toList();
        }
    }

    /** Temporary folders beside the build, since one in memory may not allow the direct I/O that BlueStore needs. */
    static final class OnDisk implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
            return Files.createTempDirectory(NATIVE, "run");
        }
    }

    private InstalledCeph() {}

    /** Skips the test, saying why, where there is no Ceph of the release to test against. */
    static void assumeInstalled() throws IOException, InterruptedException {
        for (Path file : List.of(OSD, TOOL, COMMON)) {
            assumeTrue(Files.exists(file), file + " is not there: next: apt-get install ceph-osd");
        }
        String version = run(new ProcessBuilder(OSD.toString(), "--version"), "").output;
        assumeTrue(
                version.contains("ceph version " + VERSION + " "),
                "the profile is for Ceph " + VERSION + ", installed is " + version.strip());
    }

    /** The seed of this run: system property {@code ustore.seed}, or a new one. */
    static long seed() {
        return Long.getLong("ustore.seed", System.nanoTime() & Long.MAX_VALUE);
    }

    /** What to run to see a failure again. */
    static String repeatWith(long seed) {
        return "repeat with -Dustore.seed=" + seed;
    }

    /** Runs the test program that knows the slots the profile declares. */
    static List<String> slots(List<String> arguments, String input) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(SLOTS.toString()));
        command.addAll(arguments);
        Result result = run(new ProcessBuilder(command), input);
        assertThat(result.exit).as(result.output).isZero();
        return result.lines();
    }

    /** Runs the checks inside an unmodified {@code program}, in place of its main. */
    static Result runInside(Path program, Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LD_PRELOAD", CHECK.toString());
        builder.environment().remove("CEPH_ARGS");
        return run(builder, "");
    }

    private static Result run(ProcessBuilder builder, String input) throws IOException, InterruptedException {
        Path in = Files.createTempFile("ustore-abi", ".in");
        Path out = Files.createTempFile("ustore-abi", ".out");
        try {
            Files.writeString(in, input);
            builder.redirectInput(in.toFile()).redirectErrorStream(true).redirectOutput(out.toFile());
            Process process = builder.start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new IOException(builder.command() + " did not end within " + TIMEOUT_SECONDS + " s; output: "
                        + Files.readString(out, StandardCharsets.ISO_8859_1));
            }
            return new Result(process.exitValue(), Files.readString(out, StandardCharsets.ISO_8859_1));
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }
}
