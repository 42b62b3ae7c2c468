package org.ustore.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for something outside this process, always with a deadline. */
public final class Wait {
    private static final long POLL_MILLIS = 200;

    private Wait() {}

    /**
     * Polls until {@code done}. A poll that fails with a {@link ClusterException} counts as not done: while daemons come and go, or the
     * disk is slow, Ceph's tools give up now and then.
     *
     * @param what for the error: "waited 60 s for WHAT"
     * @param diagnosis asked for only when the deadline has passed
     * @throws ClusterException when {@code limit} has passed or the thread is interrupted
     */
    public static void until(String what, Duration limit, BooleanSupplier done, Supplier<String> diagnosis) {
        long deadline = System.nanoTime() + limit.toNanos();
        String lastError = "";
        while (true) {
            try {
                if (done.getAsBoolean()) {
                    return;
                }
            } catch (ClusterException e) {
                lastError = "\nlast error: " + e.getMessage();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new ClusterException(
                        "waited " + limit.toSeconds() + " s for " + what + lastError + "\n" + diagnosis.get());
            }
            pause();
        }
    }

    /** As {@link #until}, but tells a miss by its result. */
    static boolean reached(Duration limit, BooleanSupplier done) {
        try {
            until("it", limit, done, () -> "");
            return true;
        } catch (ClusterException _) {
            return false;
        }
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
