package org.ustore.objectstore.memory;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that runs callbacks, in the order given. Bounded: {@link #awaitRoom} holds producers back, except the
 * finisher's own thread, whose callbacks may queue more.
 */
final class Finisher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Finisher.class.getName());
    private static final int MAX_PENDING = 4096;

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Thread thread;
    private boolean closing;

    Finisher(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /** Blocks the caller while too much is pending. */
    synchronized void awaitRoom() {
        if (isFinisherThread()) {
            return;
        }
        boolean interrupted = false;
        while (tasks.size() >= MAX_PENDING) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void add(Runnable task) {
        tasks.add(task);
        notifyAll();
    }

    boolean isFinisherThread() {
        return Thread.currentThread() == thread;
    }

    /** Runs what is pending, then ends the thread. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        for (Runnable task = take(); task != null; task = take()) {
            runGuarded(task);
        }
    }

    /** Runs a callback; one that throws is logged and keeps no other from running. */
    static void runGuarded(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "a callback of a transaction failed", e);
        }
    }

    private synchronized @Nullable Runnable take() {
        while (tasks.isEmpty() && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.log(System.Logger.Level.WARNING, "the finisher was interrupted and goes on", e);
            }
        }
        notifyAll();
        return tasks.poll();
    }
}
