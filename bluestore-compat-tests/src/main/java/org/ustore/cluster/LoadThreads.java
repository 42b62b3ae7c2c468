package org.ustore.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that repeat a step until told to stop. The first failure stops all and is thrown by {@link #stop}. */
final class LoadThreads {
    private final String name;
    private final int threads;
    private final long seed;
    private final Step step;
    private final List<Thread> running = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopping;
    private int starts;

    /** One operation of one thread. */
    @FunctionalInterface
    interface Step {
        void run(int thread, Random random) throws Exception;
    }

    LoadThreads(String name, int threads, long seed, Step step) {
        this.name = name;
        this.threads = threads;
        this.seed = seed;
        this.step = step;
    }

    void start() {
        if (!running.isEmpty()) {
            throw new IllegalStateException(name + " runs already");
        }
        stopping = false;
        starts++;
        for (int i = 0; i < threads; i++) {
            int thread = i;
            Random random = new Random(seed * 31 + starts * 1009L + thread);
            // A client that waits for a dead OSD must not keep the process alive.
            running.add(Thread.ofPlatform().daemon().name(name + " " + thread).start(() -> loop(thread, random)));
        }
    }

    private void loop(int thread, Random random) {
        while (!stopping) {
            try {
                step.run(thread, random);
            } catch (Exception e) {
                failure.compareAndSet(null, e);
                stopping = true;
            }
        }
    }

    /** Throws the first failure, if there is one. */
    void check() {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new ClusterException(name + " failed: " + cause.getMessage(), cause);
        }
    }

    /** No operation starts after this; those in flight go on. */
    void stopIssuing() {
        stopping = true;
    }

    /**
     * Waits until the operations in flight have ended.
     *
     * @throws ClusterException if they do not end within the limit, or one failed
     */
    void stop(Duration limit) {
        stopIssuing();
        long deadline = System.nanoTime() + limit.toNanos();
        for (Thread thread : running) {
            try {
                if (!thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
                    throw new ClusterException(
                            thread.getName() + ": an operation did not end within " + limit.toSeconds() + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ClusterException("interrupted while stopping " + name, e);
            }
        }
        running.clear();
        check();
    }
}
