package org.ustore.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of an outside program with a deadline. Immutable; the {@code with} methods return changed copies. Output is kept in
 * memory up to {@value #MAX_OUTPUT} bytes, more is an error.
 */
public final class Command {
    private static final int MAX_OUTPUT = 64 << 20;
    private static final int LINES_IN_ERRORS = 20;
    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

    private final List<String> argv;
    private final Map<String, String> environment;
    private final Duration limit;
    private final byte[] input;
    private final @Nullable Path outputFile;

    private Command(
            List<String> argv,
            Map<String, String> environment,
            Duration limit,
            byte[] input,
            @Nullable Path outputFile) {
        this.argv = argv;
        this.environment = environment;
        this.limit = limit;
        this.input = input;
        this.outputFile = outputFile;
    }

    /** What a program left behind. */
    public record Result(int exitCode, String out, String err) {}

    public static Command of(List<String> argv) {
        return new Command(List.copyOf(argv), Map.of(), Duration.ofSeconds(60), new byte[0], null);
    }

    public static Command of(String... argv) {
        return of(List.of(argv));
    }

    /** Adds to the environment inherited from this process. */
    public Command withEnvironment(Map<String, String> more) {
        return new Command(argv, Map.copyOf(more), limit, input, outputFile);
    }

    /** The default is 60 s. */
    public Command withLimit(Duration newLimit) {
        return new Command(argv, environment, newLimit, input, outputFile);
    }

    public Command withInput(byte[] bytes) {
        return new Command(argv, environment, limit, bytes.clone(), outputFile);
    }

    /** Output and errors go to this file: for daemons, whose children would hold a pipe open. */
    public Command withOutputFile(Path file) {
        return new Command(argv, environment, limit, input, file);
    }

    /** Runs it, whatever its exit code. */
    public Result run() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        return run(builder(), out, () -> out.toString(StandardCharsets.UTF_8));
    }

    /** Runs it and returns its standard output; any exit code but 0 is an error. */
    public String output() {
        return successful(run()).out();
    }

    /**
     * Runs it, handing each line of its output and errors to {@code listener} as it comes, on another thread; returns the exit
     * code.
     */
    public int forEachLine(Consumer<String> listener) {
        return run(builder().redirectErrorStream(true), new LineSink(listener), () -> "")
                .exitCode();
    }

    /** Runs it and returns the SHA-256 of its standard output in hex; any exit code but 0 is an error. */
    public String outputSha256() {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        OutputStream sink = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
        return successful(run(builder(), sink, () -> HexFormat.of().formatHex(digest.digest())))
                .out();
    }

    /** Kills what still runs; for shutdown, so that no program outlives the cluster it talks to. */
    static void killAll() {
        LIVE.forEach(Process::destroyForcibly);
    }

    private Result successful(Result result) {
        if (result.exitCode() != 0) {
            throw new ClusterException(this + " ended with exit code " + result.exitCode() + ":\n"
                    + tail(result.err() + result.out(), LINES_IN_ERRORS));
        }
        return result;
    }

    private ProcessBuilder builder() {
        ProcessBuilder builder = new ProcessBuilder(argv);
        builder.environment().putAll(environment);
        if (outputFile != null) {
            builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(outputFile.toFile()));
        }
        return builder;
    }

    private Result run(ProcessBuilder builder, OutputStream sink, Supplier<String> text) {
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new ClusterException("cannot run " + argv.getFirst() + ": " + e.getMessage(), e);
        }
        LIVE.add(process);
        try {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Thread errors = pump(process, process.getErrorStream(), err);
            Thread output = pump(process, process.getInputStream(), sink);
            feed(process);
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ClusterException(this + " did not end within " + limit.toSeconds() + " s\n"
                        + tail(err.toString(StandardCharsets.UTF_8), LINES_IN_ERRORS));
            }
            output.join();
            errors.join();
            return new Result(process.exitValue(), text.get(), err.toString(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while running " + this, e);
        } finally {
            process.destroyForcibly();
            LIVE.remove(process);
        }
    }

    private void feed(Process process) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input);
        } catch (IOException _) {
            // The program closed its input; its exit code tells whether that was an error.
            return;
        }
    }

    private Thread pump(Process process, InputStream from, OutputStream to) {
        return Thread.ofPlatform().daemon().name("pump " + argv.getFirst()).start(() -> {
            try (from) {
                copy(from, to);
            } catch (IOException _) {
                // Too much output, or the process was killed: either way its exit code becomes an error.
                process.destroyForcibly();
            }
        });
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long kept = 0;
        for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
            if (to instanceof ByteArrayOutputStream) {
                kept += n;
                if (kept > MAX_OUTPUT) {
                    throw new IOException("more than " + MAX_OUTPUT + " bytes of output");
                }
            }
            to.write(buffer, 0, n);
        }
    }

    /** Cuts a stream of bytes into lines; not thread-safe. */
    private static final class LineSink extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final Consumer<String> listener;

        LineSink(Consumer<String> listener) {
            this.listener = listener;
        }

        @Override
        public void write(int b) {
            if (b != '\n') {
                line.write(b);
                return;
            }
            listener.accept(line.toString(StandardCharsets.UTF_8));
            line.reset();
        }
    }

    /** The last lines of {@code text}. */
    public static String tail(String text, int lines) {
        List<String> all = text.lines().toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    }

    @Override
    public String toString() {
        return String.join(" ", argv);
    }
}
