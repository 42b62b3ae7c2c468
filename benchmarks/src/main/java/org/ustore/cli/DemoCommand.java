package org.ustore.cli;

import picocli.CommandLine.Command;

/** {@code ustore demo}. */
@Command(name = "demo", description = "Compare UStore and BlueStore in one real cluster.")
final class DemoCommand implements Runnable {
    @Override
    public void run() {}
}
