package org.ustore.engine.space;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Epoch-based reclamation (Fraser, Practical lock-freedom, 2004): what is retired comes back only when every reader that
 * may have seen it has left.
 *
 * <p>A reader enters under the shard's lock, when it picks up the blocks it will read, and leaves without. The epoch
 * moves on once all readers of the one before have left; what was retired in epoch e is handed out again when the epoch
 * becomes e + 2.
 */
public final class ReadGuard {
    private final AtomicInteger[] readers = {new AtomicInteger(), new AtomicInteger()};
    private int epoch;
    private IntList retiredBefore = new IntList();
    private IntList retiredNow = new IntList();

    /** Starts a read; under the lock. The result goes to {@link #leave}. */
    public int enter() {
        int now = epoch & 1;
        readers[now].incrementAndGet();
        return now;
    }

    /** Ends a read; by any thread, without the lock. */
    public void leave(int ticket) {
        readers[ticket].decrementAndGet();
    }

    /** Takes a resource (an id of the caller's) out of use; under the lock. */
    public void retire(int id) {
        retiredNow.add(id);
    }

    /** Whether nothing waits to be handed out again; under the lock. */
    public boolean isIdle() {
        return retiredBefore.isEmpty() && retiredNow.isEmpty();
    }

    /** The present epoch; under the lock. */
    public int epoch() {
        return epoch;
    }

    /** Moves on by one epoch if possible and gives what may be used again to {@code reuse}; under the lock. */
    public void advance(Reuse reuse) {
        if (isIdle() || readers[(epoch + 1) & 1].get() != 0) {
            return;
        }
        IntList safe = retiredBefore;
        retiredBefore = retiredNow;
        retiredNow = new IntList();
        epoch++;
        for (int i = 0; i < safe.size(); i++) {
            reuse.accept(safe.get(i));
        }
    }

    /** Takes back a resource that no reader can see any more. */
    @FunctionalInterface
    public interface Reuse {
        /** Called under the lock, once for every {@link #retire}. */
        void accept(int id);
    }
}
