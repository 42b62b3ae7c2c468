package org.ustore.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code ustore version}. */
@Command(name = "version", description = "Print the version of UStore and of the Java that runs it.")
final class VersionCommand implements Runnable {
    @Override
    public void run() {
        @Nullable String version = Main.class.getPackage().getImplementationVersion();
        System.out.println("ustore " + (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version());
    }
}
