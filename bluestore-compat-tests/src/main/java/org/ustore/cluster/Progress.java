package org.ustore.cluster;

import java.util.Locale;

/** Where long work says what it does now. */
@FunctionalInterface
public interface Progress {
    void say(String line);

    /** Lines on standard error with the seconds since this call; standard output stays free for results. */
    static Progress stderr() {
        long start = System.nanoTime();
        return line -> System.err.printf(Locale.ROOT, "[%6.1f s] %s%n", (System.nanoTime() - start) / 1e9, line);
    }
}
