package org.ustore.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The checkout that {@code ./ustore} was started from. */
final class Workspace {
    private Workspace() {}

    static Path root() {
        @Nullable String root = System.getProperty("ustore.root");
        return Path.of(root == null ? "." : root).toAbsolutePath().normalize();
    }

    /** Where a cluster lives if the user names no folder. */
    static Path clusterDirectory(String name) {
        return root().resolve(".ustore").resolve(name);
    }
}
