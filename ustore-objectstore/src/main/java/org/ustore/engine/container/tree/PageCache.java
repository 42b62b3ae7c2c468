package org.ustore.engine.container.tree;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The pages in memory, and how many bytes they may take.
 *
 * <p>Pages that the device has are let go when others need their room, those not used lately first (second chance).
 * Pages it does not have yet stay, and count: when they take half of the room a checkpoint is wanted, at seven eighths
 * batches are refused. One batch, and pages being read just now, may exceed the limit. Safe for use by any thread.
 */
final class PageCache {
    private final PageIo io;
    private final long capacityBytes;
    /** Pages in memory that may go, in the order in which they are looked at. */
    private final ArrayDeque<PageRef> evictable = new ArrayDeque<>();

    private long cleanBytes;
    private long dirtyBytes;

    PageCache(PageIo io, long capacityBytes) {
        this.io = io;
        this.capacityBytes = capacityBytes;
    }

    /** The page, from memory or from the device. */
    Page get(PageRef ref) {
        Page present = ref.resident();
        return present != null ? present : load(ref);
    }

    private Page load(PageRef ref) {
        Page loaded = io.read(ref);
        return admit(ref, loaded);
    }

    /** Puts back a page that the device has; returns the one to use if another thread was faster. */
    synchronized Page admit(PageRef ref, Page page) {
        @Nullable Page present = ref.page;
        if (present != null) {
            return present;
        }
        ref.page = page;
        cleanBytes += page.memoryBytes();
        evictable.add(ref);
        shrink();
        return page;
    }

    /** Pages that the device does not have take {@code delta} bytes more. */
    synchronized void addDirty(long delta) {
        dirtyBytes += delta;
        shrink();
    }

    /** The device has the page now. */
    synchronized void becameClean(PageRef ref, Page page) {
        ref.written = true;
        dirtyBytes -= page.memoryBytes();
        cleanBytes += page.memoryBytes();
        evictable.add(ref);
        shrink();
    }

    private void shrink() {
        int chances = evictable.size();
        while (cleanBytes + dirtyBytes > capacityBytes) {
            PageRef ref = evictable.poll();
            if (ref == null) {
                return;
            }
            if (ref.touched && !ref.retired && chances > 0) {
                chances--;
                ref.touched = false;
                evictable.add(ref);
            } else {
                evict(ref);
            }
        }
    }

    private void evict(PageRef ref) {
        Page page = ref.page;
        if (page != null) {
            cleanBytes -= page.memoryBytes();
            ref.page = null;
        }
    }

    /** Whether a checkpoint should begin. */
    synchronized boolean wantsCheckpoint() {
        return dirtyBytes > capacityBytes / 2;
    }

    /** Whether no batch can be taken. */
    synchronized boolean isFull() {
        return dirtyBytes > capacityBytes / 8 * 7;
    }

    /** Bytes of pages that the device does not have. */
    synchronized long dirtyBytes() {
        return dirtyBytes;
    }

    /** Bytes of all pages in memory. */
    synchronized long usedBytes() {
        return cleanBytes + dirtyBytes;
    }
}
