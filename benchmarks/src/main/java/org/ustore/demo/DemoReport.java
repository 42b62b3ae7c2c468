package org.ustore.demo;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The result of a demo.
 *
 * @param ceph the release of the binaries
 * @param seconds that everything took
 */
public record DemoReport(
        String ceph,
        @JsonProperty("device_bytes") long deviceBytes,
        @JsonProperty("memory_bytes") long memoryBytes,
        int rounds,
        @JsonProperty("seconds_per_cell") int secondsPerCell,
        double seconds,
        List<Run> runs,
        List<Check> checks) {

    /**
     * One cell: medians over the rounds, and the rounds' own IOPS to show the spread.
     *
     * @param meanMicros latency, as the other figures in microseconds
     * @param cpuMicrosPerOp processor time of the OSD's process per client operation
     */
    public record Run(
            String store,
            String workload,
            double iops,
            @JsonProperty("mean_us") double meanMicros,
            @JsonProperty("p99_us") double p99Micros,
            @JsonProperty("cpu_us_per_op") double cpuMicrosPerOp,
            @JsonProperty("iops_rounds") List<Double> iopsRounds) {

        static Run of(String store, Workload workload, List<Fio.Sample> samples) {
            return new Run(
                    store,
                    workload.label(),
                    median(samples, Fio.Sample::iops),
                    median(samples, Fio.Sample::meanMicros),
                    median(samples, Fio.Sample::p99Micros),
                    median(samples, Fio.Sample::cpuMicrosPerOp),
                    samples.stream().map(s -> rounded(s.iops())).toList());
        }
    }

    /** Something that must be true, with what was seen. */
    public record Check(String name, boolean ok, String detail) {}

    /** Whether every check holds. */
    @JsonIgnore
    public boolean isOk() {
        return checks.stream().allMatch(Check::ok);
    }

    private static double median(List<Fio.Sample> samples, ToDoubleFunction<Fio.Sample> field) {
        double[] values = samples.stream().mapToDouble(field).sorted().toArray();
        int middle = values.length / 2;
        return rounded(values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2);
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }

    /** The table and the checks, for people. */
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "Ceph %s, RBD, cache off, medians of %d rounds of %d s in alternation; ratio = %s / %s%n%n",
                ceph,
                rounds,
                secondsPerCell,
                runs.getFirst().store(),
                runs.getLast().store());
        String format = "%-18s %-11s %9s %6s %9s %6s %9s %6s %11s %6s  %s%n";
        out.printf(
                format,
                "workload",
                "store",
                "IOPS",
                "ratio",
                "mean us",
                "ratio",
                "p99 us",
                "ratio",
                "OSD us/op",
                "ratio",
                "IOPS per round");
        for (Run run : runs) {
            Optional<Run> other = baseline(run);
            out.printf(
                    format,
                    run.workload(),
                    run.store(),
                    whole(run.iops()),
                    ratio(run, other, Run::iops),
                    whole(run.meanMicros()),
                    ratio(run, other, Run::meanMicros),
                    whole(run.p99Micros()),
                    ratio(run, other, Run::p99Micros),
                    whole(run.cpuMicrosPerOp()),
                    ratio(run, other, Run::cpuMicrosPerOp),
                    String.join(
                            " ",
                            run.iopsRounds().stream().map(DemoReport::whole).toList()));
        }
        out.println();
        for (Check check : checks) {
            out.printf("%-6s %s: %s%n", check.ok() ? "ok" : "FAILED", check.name(), check.detail());
        }
    }

    /** The second store's run of the same workload; empty for the second store itself. */
    private Optional<Run> baseline(Run run) {
        List<Run> same = new ArrayList<>(runs);
        same.removeIf(other -> !other.workload().equals(run.workload()));
        return same.getLast().equals(run) ? Optional.empty() : Optional.of(same.getLast());
    }

    private static String ratio(Run run, Optional<Run> other, ToDoubleFunction<Run> field) {
        return other.map(o -> String.format(Locale.ROOT, "%.2f", field.applyAsDouble(run) / field.applyAsDouble(o)))
                .orElse("");
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
