package org.ustore.engine.device;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writers for threads that write now and then, each the owner of one for a while. Keeps at most {@code capacity} of them;
 * beyond that they are opened and closed. Safe for use by any thread.
 */
public final class DeviceWriterPool implements AutoCloseable {
    private final Supplier<DeviceWriter> opener;
    private final ArrayBlockingQueue<DeviceWriter> idle;
    private volatile boolean closed;

    /** A pool of what {@code opener} opens. */
    public DeviceWriterPool(Supplier<DeviceWriter> opener, int capacity) {
        this.opener = opener;
        this.idle = new ArrayBlockingQueue<>(capacity);
    }

    /** A writer with nothing in flight, for the calling thread until it gives it back. */
    public DeviceWriter take() {
        @Nullable DeviceWriter writer = idle.poll();
        return writer == null ? opener.get() : writer;
    }

    /** Takes back a finished writer. */
    public void give(DeviceWriter writer) {
        if (!idle.offer(writer)) {
            writer.close();
        } else if (closed) {
            closeIdle();
        }
    }

    private void closeIdle() {
        for (@Nullable DeviceWriter writer = idle.poll(); writer != null; writer = idle.poll()) {
            writer.close();
        }
    }

    /** Closes the writers, those that are still out when they come back. */
    @Override
    public void close() {
        closed = true;
        closeIdle();
    }
}
