package org.ustore.engine.core;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Runs callbacks, in the order given, on a thread of its own that holds no lock.
 *
 * <p>Its queue is bounded by whoever adds to it: transactions wait while {@link #isBehind}, unless they are queued by a
 * callback.
 */
final class Finisher {
    private static final System.Logger LOG = System.getLogger(Finisher.class.getName());
    private static final int MAX_WAITING = 1 << 16;

    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private final Runnable onDrained;
    private final Thread thread;
    private boolean stopping;
    /** Whether callbacks taken from the queue may not have run yet. */
    private boolean running;

    /** {@code onDrained} runs whenever the queue has become empty. */
    Finisher(Runnable onDrained) {
        this.onDrained = onDrained;
        this.thread = Thread.ofPlatform().name("ustore-finisher").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Adds callbacks; any thread. */
    void add(List<Runnable> callbacks) {
        if (callbacks.isEmpty()) {
            return;
        }
        synchronized (queue) {
            queue.addAll(callbacks);
            queue.notifyAll();
        }
    }

    /** Adds a callback behind those that have not run; false, and nothing is added, if all have. Any thread. */
    boolean addIfBusy(Runnable callback) {
        synchronized (queue) {
            if (queue.isEmpty() && !running) {
                return false;
            }
            queue.add(callback);
            queue.notifyAll();
            return true;
        }
    }

    /** Whether callers, but not callbacks themselves, should wait before they add more. */
    boolean isBehind() {
        synchronized (queue) {
            return queue.size() > MAX_WAITING && Thread.currentThread() != thread;
        }
    }

    /** Runs what is left and ends the thread. */
    void stop() throws InterruptedException {
        synchronized (queue) {
            stopping = true;
            queue.notifyAll();
        }
        thread.join();
    }

    private void run() {
        while (true) {
            List<Runnable> batch;
            synchronized (queue) {
                running = false;
                while (queue.isEmpty() && !stopping) {
                    waitForWork();
                }
                if (queue.isEmpty()) {
                    return;
                }
                batch = List.copyOf(queue);
                queue.clear();
                running = true;
            }
            batch.forEach(Finisher::runOne);
            onDrained.run();
        }
    }

    private void waitForWork() {
        try {
            queue.wait();
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "interrupt ignored: only stop() ends this thread", e);
        }
    }

    private static void runOne(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "a callback failed", e);
        }
    }
}
