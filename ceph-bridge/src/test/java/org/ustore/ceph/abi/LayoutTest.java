package org.ustore.ceph.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The release profile's structures, handed to Ceph's own functions inside its programs and taken back, have every field
 * where Ceph has it. The single checks are in {@code src/test/native}.
 */
@Tag("native")
final class LayoutTest {
    static final List<Path> PROGRAMS = List.of(InstalledCeph.OSD, InstalledCeph.TOOL);

    private static final int LEAST_CHECKS = 20;

    @BeforeAll
    static void assumeCeph() throws IOException, InterruptedException {
        InstalledCeph.assumeInstalled();
    }

    @ParameterizedTest
    @FieldSource("PROGRAMS")
    void cephAgreesWithEveryFieldOfTheProfile(Path program, @TempDir(factory = InstalledCeph.OnDisk.class) Path folder)
            throws IOException, InterruptedException {
        long seed = InstalledCeph.seed();
        InstalledCeph.Result result = InstalledCeph.runInside(program, "check", seed, folder);
        System.out.printf("%s%n%s", program, result.output());

        List<String> checks = result.lines().stream()
                .filter(line -> line.startsWith("ok ") || line.startsWith("not ok "))
                .toList();
        String context = InstalledCeph.repeatWith(seed) + "; exit status " + result.exit() + "\n" + result.output();
        assertThat(checks)
                .as(context)
                .hasSizeGreaterThanOrEqualTo(LEAST_CHECKS)
                .allMatch(line -> line.startsWith("ok "));
        assertThat(result.lines()).as(context).endsWith("1.." + checks.size());
        assertThat(result.exit()).as(context).isZero();
    }
}
