package org.ustore.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for something outside this process, always with a deadline. */
public final class Wait {
    private static final long POLL_MILLIS = 200;

    private Wait() {}

    /**
     * Polls until {@code done}.
     *
     * @param what for the error: "waited 60 s for WHAT"
     * @param diagnosis asked for only when the deadline has passed
     * @throws ClusterException when {@code limit} has passed or the thread is interrupted
     */
    public static void until(String what, Duration limit, BooleanSupplier done, Supplier<String> diagnosis) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new ClusterException("waited " + limit.toSeconds() + " s for " + what + "\n" + diagnosis.get());
            }
            pause();
        }
    }

    /** As {@link #until(String, Duration, BooleanSupplier, Supplier)}, but the caller handles the miss. */
    static boolean reached(Duration limit, BooleanSupplier done) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while waiting", e);
        }
    }
}
