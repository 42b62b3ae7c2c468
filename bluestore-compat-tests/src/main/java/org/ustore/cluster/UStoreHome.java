package org.ustore.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder with what an OSD loads: {@value #LIBRARY} and the files it finds beside itself. */
final class UStoreHome {
    static final String PROPERTY = "ustore.home";
    private static final String LIBRARY = "libustore-ceph.so";

    private UStoreHome() {}

    /**
     * The built folder, from the system property {@value #PROPERTY}.
     *
     * @throws ClusterException if it is unset or the library is not there
     */
    static Path locate() {
        @Nullable String value = System.getProperty(PROPERTY);
        Path home = Path.of(value == null ? "." : value);
        if (!Files.exists(library(home))) {
            throw new ClusterException(
                    "no " + LIBRARY + " in " + home.toAbsolutePath().normalize() + " (system property " + PROPERTY
                            + "); next: run ./ustore, which builds it, or give --store bluestore");
        }
        return home;
    }

    static Path library(Path home) {
        return home.resolve(LIBRARY);
    }

    static void copyTo(Path target) {
        Path home = locate();
        try (Stream<Path> entries = Files.list(home)) {
            List<Path> files = entries.filter(Files::isRegularFile).toList();
            Files.createDirectories(target);
            for (Path file : files) {
                Files.copy(file, target.resolve(file.getFileName().toString()));
            }
        } catch (IOException e) {
            throw new ClusterException("cannot copy " + home + " to " + target + ": " + e.getMessage(), e);
        }
    }
}
