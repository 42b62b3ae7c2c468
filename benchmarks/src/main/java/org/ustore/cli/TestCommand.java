package org.ustore.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.ustore.cluster.Command;
import org.ustore.cluster.Progress;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code ustore test}: runs the tests through Maven, reads its reports, ends with one line of totals. */
@CommandLine.Command(
        name = "test",
        description = {
            "Run the tests: unit, native (against the installed Ceph binaries) and cluster (a real cluster).",
            "The last line is 'N passed, N failed'."
        })
final class TestCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final List<String> REPORTS = List.of("target/surefire-reports", "target/failsafe-reports");
    /** What tests with clusters say meanwhile. */
    private static final Pattern STEP = Pattern.compile("\\[ *\\d+\\.\\d s] .*");

    private static final int LOG_LINES = 40;

    /** A group of tests; the tags are JUnit's. */
    enum Group {
        UNIT,
        NATIVE,
        CLUSTER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--only", paramLabel = "GROUP", description = "One group only: unit, native or cluster.")
    private @Nullable Group only;

    private record Totals(int passed, int failed, int skipped) {
        Totals plus(Totals other) {
            return new Totals(passed + other.passed, failed + other.failed, skipped + other.skipped);
        }
    }

    @Override
    public Integer call() {
        Progress progress = Progress.stderr();
        Totals totals = switch (only) {
            case null -> run(progress, "all", List.of("-DexcludedGroups=none"));
            case UNIT -> run(progress, "unit", List.of("-DexcludedGroups=native,cluster"));
            case NATIVE -> run(progress, "native", List.of("-Dgroups=native", "-pl", "ceph-bridge", "-am"));
            case CLUSTER ->
                run(
                        progress,
                        "cluster",
                        List.of("-Dgroups=cluster", "-DexcludedGroups=none", "-pl", "bluestore-compat-tests", "-am"));
        };
        String skipped = totals.skipped() == 0 ? "" : ", " + totals.skipped() + " skipped";
        System.out.println(totals.passed() + " passed, " + totals.failed() + " failed" + skipped);
        return totals.failed() == 0 ? 0 : 1;
    }

    private static Totals run(Progress progress, String name, List<String> options) {
        Path root = Workspace.root();
        Path log = root.resolve("target").resolve("test-" + name + ".log");
        progress.say(name + " tests, log in " + log);
        deleteReports(root);
        List<String> argv = new ArrayList<>(
                List.of("mvn", "-B", "-f", root.resolve("pom.xml").toString(), "verify"));
        // Counted from the reports, so that one failing module does not hide the others.
        argv.add("-Dmaven.test.failure.ignore=true");
        argv.addAll(options);
        int exitCode = maven(progress, argv, log);
        Totals totals = readReports(progress, root);
        if (exitCode != 0 || totals.passed() + totals.failed() == 0) {
            progress.say(name + " tests did not run to their end (exit code " + exitCode + ", log " + log + "):");
            System.err.println(tail(log));
            return totals.plus(new Totals(0, 1, 0));
        }
        return totals;
    }

    private static int maven(Progress progress, List<String> argv, Path log) {
        try {
            Files.createDirectories(log.getParent());
            try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(log))) {
                return Command.of(argv).withLimit(LIMIT).forEachLine(line -> {
                    writer.println(line);
                    int at = line.indexOf("Tests run:");
                    if (at >= 0 && line.contains("Time elapsed")) {
                        progress.say(line.substring(at));
                    } else if (STEP.matcher(line).matches()) {
                        progress.say("  " + line);
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + log, e);
        }
    }

    private static void deleteReports(Path root) {
        try {
            for (Path report : reports(root)) {
                Files.delete(report);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete old reports", e);
        }
    }

    private static List<Path> reports(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path folder : modules.flatMap(m -> REPORTS.stream().map(m::resolve))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.list(folder)) {
                    files.filter(f -> f.getFileName().toString().matches("TEST-.*\\.xml"))
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    private static Totals readReports(Progress progress, Path root) {
        Totals totals = new Totals(0, 0, 0);
        try {
            for (Path report : reports(root)) {
                totals = totals.plus(readReport(progress, report));
            }
            return totals;
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException("cannot read the test reports: " + e.getMessage(), e);
        }
    }

    private static Totals readReport(Progress progress, Path report)
            throws IOException, SAXException, ParserConfigurationException {
        Element suite = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getDocumentElement();
        NodeList cases = suite.getElementsByTagName("testcase");
        int passed = 0;
        int failed = 0;
        int skipped = 0;
        for (int i = 0; i < cases.getLength(); i++) {
            Element test = (Element) cases.item(i);
            Element failure = firstOf(test, "failure", "error");
            if (failure != null) {
                failed++;
                progress.say("FAILED " + test.getAttribute("classname") + "." + test.getAttribute("name") + ": "
                        + failure.getAttribute("message"));
            } else if (firstOf(test, "skipped") != null) {
                skipped++;
                progress.say("skipped " + test.getAttribute("classname") + "." + test.getAttribute("name"));
            } else {
                passed++;
            }
        }
        return new Totals(passed, failed, skipped);
    }

    private static @Nullable Element firstOf(Element parent, String... names) {
        for (String name : names) {
            NodeList list = parent.getElementsByTagName(name);
            if (list.getLength() > 0) {
                return (Element) list.item(0);
            }
        }
        return null;
    }

    private static String tail(Path file) {
        try {
            return Command.tail(Files.readString(file), LOG_LINES);
        } catch (IOException e) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }
}
