package org.ustore.engine.container.tree;

import java.util.ArrayDeque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.PageSpace;

/**
 * Which pages may be freed when.
 *
 * <p>The tree's epoch moves on whenever its root is frozen, for a snapshot or a checkpoint. A root frozen when epoch
 * {@code e} began holds a ticket {@code e}: of the pages it refers to, those that are replaced later are retired in epoch
 * {@code e} or after. So what was retired in epoch {@code r} is out of use once every ticket is above {@code r}; and the
 * device's copy, if there is one, once the root in the superblock is above {@code r} as well.
 *
 * <p>Tickets are taken and given back by any thread; all else is the writer's.
 */
final class Epochs {
    private record Retired(PageRef ref, long epoch) {}

    private final PageCache cache;
    private final PageSpace space;
    /** Open tickets and how many there are of each. */
    private final TreeMap<Long, Integer> tickets = new TreeMap<>();

    /** Replaced, perhaps still read through a ticket. */
    private final ArrayDeque<Retired> inUse = new ArrayDeque<>();
    /** Replaced and on the device, perhaps still referred to by the root in the superblock. */
    private final ArrayDeque<Retired> onDevice = new ArrayDeque<>();

    private long installed;

    Epochs(PageCache cache, PageSpace space) {
        this.cache = cache;
        this.space = space;
    }

    synchronized void enter(long epoch) {
        tickets.merge(epoch, 1, Integer::sum);
    }

    synchronized void leave(long epoch) {
        tickets.computeIfPresent(epoch, (_, n) -> n == 1 ? null : n - 1);
    }

    private synchronized long oldestTicket() {
        return tickets.isEmpty() ? Long.MAX_VALUE : tickets.firstKey();
    }

    /** The superblock has the root that was frozen when {@code epoch} began. */
    void installed(long epoch) {
        installed = epoch;
    }

    /** A page was replaced. */
    void retire(PageRef ref, long epoch) {
        ref.retired = true;
        inUse.add(new Retired(ref, epoch));
    }

    /** Lets go of at most {@code budget} pages that are out of use; returns how many. */
    int release(int budget) {
        int done = 0;
        long oldest = oldestTicket();
        while (done < budget && isBefore(inUse.peek(), oldest)) {
            drop(inUse.remove());
            done++;
        }
        long freeable = Math.min(oldest, installed);
        while (done < budget && isBefore(onDevice.peek(), freeable)) {
            PageRef ref = onDevice.remove().ref;
            space.free(ref.block, ref.blocks);
            done++;
        }
        return done;
    }

    private static boolean isBefore(@Nullable Retired retired, long epoch) {
        return retired != null && retired.epoch < epoch;
    }

    /** Nothing reads it; its memory, and what it may have on the device. */
    private void drop(Retired retired) {
        PageRef ref = retired.ref;
        Page page = ref.page;
        if (!ref.written && page != null) {
            cache.addDirty(-page.memoryBytes());
            ref.page = null;
        }
        if (ref.block != 0) {
            onDevice.add(retired);
        }
    }
}
