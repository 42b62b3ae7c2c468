package org.ustore.cluster;

import java.time.Duration;
import java.util.List;

/**
 * A load that remembers, outside the store, what the cluster acknowledged. Each thread writes only to a part of its own and waits for
 * each write, so after {@link #stop} the expected content of every byte is known exactly, also when an OSD was killed in
 * between: its client sends again what was in flight.
 */
public interface Ledger extends AutoCloseable {
    /** Starts the threads; may be called again after {@link #stop}. */
    void start();

    /**
     * Returns at once if all is well so far.
     *
     * @throws ClusterException if an operation failed or read the wrong data
     */
    void check();

    /** No operation starts after this; those in flight go on. */
    void stopIssuing();

    /**
     * Ends the threads.
     *
     * @throws ClusterException if an operation failed, read the wrong data, or did not end within the limit
     */
    void stop(Duration limit);

    /** Writes acknowledged so far, from all threads. */
    long acknowledged();

    /** Reads everything back through a new client; only while stopped. */
    Verification verify();

    @Override
    void close();

    /**
     * What a verification found.
     *
     * @param bytes read and compared
     * @param differences the first few, empty if all is as acknowledged
     */
    record Verification(long bytes, List<String> differences) {
        static final int MAX_DIFFERENCES = 5;

        public boolean ok() {
            return differences.isEmpty();
        }
    }
}
