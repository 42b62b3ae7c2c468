package org.ustore.engine.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A block device made of a file by losetup; only for root, and only where the kernel has them. */
final class LoopDevice implements AutoCloseable {
    private final Path path;

    private LoopDevice(Path path) {
        this.path = path;
    }

    /** Attaches {@code file}; skips the test, saying why, where that cannot be done. */
    static LoopDevice attach(Path file) {
        assumeTrue(System.getProperty("user.name").equals("root"), "loop devices need root");
        String[] command = {"losetup", "--direct-io=on", "--sector-size", "4096", "-f", "--show", file.toString()};
        String output;
        try {
            output = run(command);
        } catch (IOException e) {
            assumeTrue(false, "no loop device: " + e.getMessage());
            throw new AssertionError(e);
        }
        return new LoopDevice(Path.of(output));
    }

    static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return output;
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        String _ = run("losetup", "-d", path.toString());
    }
}
