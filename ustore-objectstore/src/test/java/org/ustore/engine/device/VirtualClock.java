package org.ustore.engine.device;

import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only when something simulated takes it. Safe for use by any thread. */
public final class VirtualClock {
    private final AtomicLong nanos = new AtomicLong();

    /** Nanoseconds since the beginning. */
    public long nanos() {
        return nanos.get();
    }

    /** Lets time pass until {@code then}, if it has not yet. */
    public void advanceTo(long then) {
        nanos.accumulateAndGet(then, Math::max);
    }

    /** Lets {@code duration} nanoseconds pass. */
    public void advance(long duration) {
        nanos.addAndGet(duration);
    }
}
