package org.ustore.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the native unit tests: commit order, settings, the search for Java. */
@Tag("native")
final class NativeUnitTest {
    private static final Path PROGRAM = Path.of("target", "native-test", "ustore-unit");
    private static final int LEAST_CHECKS = 17;

    @Test
    void everyCheckIsOk() throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(PROGRAM.toString()).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        int exit = process.waitFor();
        System.out.println(String.join("\n", lines));
        assertThat(lines).as("the program's output").isNotEmpty().endsWith("1.." + (lines.size() - 1));
        assertThat(lines.subList(0, lines.size() - 1))
                .hasSizeGreaterThanOrEqualTo(LEAST_CHECKS)
                .allMatch(line -> line.startsWith("ok "));
        assertThat(exit).isZero();
    }
}
