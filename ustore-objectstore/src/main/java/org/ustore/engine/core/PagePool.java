package org.ustore.engine.core;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.PageSpace;
import org.ustore.engine.space.FreeSpace;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Free runs of blocks kept back from data for the pages of the metadata.
 *
 * <p>Pages need blocks next to each other, which a full device in use for long may not have; what is in the pool is there
 * for sure. Admission sees to it that the pool holds what the next checkpoint can need. Everything is called under the
 * shard's lock, or takes it.
 */
final class PagePool implements PageSpace {
    /** Runs claimed are this long if there are any, enough for the longest page. */
    private static final int CLAIM_BLOCKS = 64;

    private static final int LEAST_CLAIM_BLOCKS = 16;
    /** Runs looked at for one allocation. */
    private static final int LOOK = 32;

    private final FreeSpace space;
    private final ReentrantLock lock;
    /** Length in blocks by first block; neighbours are merged. */
    private final TreeMap<Integer, Integer> runs = new TreeMap<>();

    private int freeBlocks;
    private int usedBlocks;
    private int cursor;

    PagePool(FreeSpace space, ReentrantLock lock) {
        this.space = space;
        this.lock = lock;
    }

    /** Blocks in the pool. */
    int freeBlocks() {
        return freeBlocks;
    }

    /** Blocks that hold pages, replaced ones included until they are freed. */
    int usedBlocks() {
        return usedBlocks;
    }

    /** Notes a page found on the device; false if one of its blocks is in use already. */
    boolean markUsed(long block, int blocks) {
        boolean ok = true;
        for (int i = 0; i < blocks; i++) {
            long b = block + i;
            ok &= b > 0 && b < space.totalBlocks() && space.markUsed((int) b);
        }
        usedBlocks += blocks;
        return ok;
    }

    /** Makes the pool hold {@code blocks} blocks at least; false if free space does not have the runs. */
    boolean ensure(long blocks) {
        while (freeBlocks < blocks) {
            int wanted = (int) Math.min(CLAIM_BLOCKS, Math.max(LEAST_CLAIM_BLOCKS, blocks - freeBlocks));
            if (!claim(wanted) && !claim(LEAST_CLAIM_BLOCKS)) {
                return false;
            }
        }
        return true;
    }

    private boolean claim(int blocks) {
        int first = space.allocateRun(blocks);
        if (first < 0) {
            return false;
        }
        add(first, blocks);
        return true;
    }

    /** Gives back to data what the pool has beyond {@code keep} blocks. */
    void shrink(long keep) {
        while (freeBlocks > keep) {
            Map.Entry<Integer, Integer> last = runs.lastEntry();
            int give = (int) Math.min(last.getValue(), freeBlocks - keep);
            int first = last.getKey() + last.getValue() - give;
            take(last.getKey(), last.getValue(), first, give);
            for (int b = first; b < first + give; b++) {
                space.release(b);
            }
        }
    }

    private void add(int first, int blocks) {
        int start = first;
        int length = blocks;
        Map.Entry<Integer, Integer> before = runs.floorEntry(first);
        if (before != null && before.getKey() + before.getValue() == first) {
            start = before.getKey();
            length += before.getValue();
        }
        Integer after = runs.remove(first + blocks);
        if (after != null) {
            length += after;
        }
        runs.put(start, length);
        freeBlocks += blocks;
    }

    /** Cuts blocks out of a run. */
    private void take(int start, int length, int first, int blocks) {
        runs.remove(start);
        if (first > start) {
            runs.put(start, first - start);
        }
        if (first + blocks < start + length) {
            runs.put(first + blocks, start + length - first - blocks);
        }
        freeBlocks -= blocks;
    }

    @Override
    public Run allocate(int least, int wanted) {
        lock.lock();
        try {
            Map.Entry<Integer, Integer> found = find(least, wanted);
            if (found == null && (claim(Math.max(least, LEAST_CLAIM_BLOCKS)) || claim(least))) {
                found = find(least, wanted);
            }
            if (found == null) {
                throw new ObjectStoreException(
                        ErrorCode.ENOSPC,
                        "no space for a metadata page: blocks wanted=" + least + " in the pool=" + freeBlocks + " free="
                                + space.freeBlocks());
            }
            int first = found.getKey();
            int blocks = Math.min(wanted, found.getValue());
            take(first, found.getValue(), first, blocks);
            usedBlocks += blocks;
            cursor = first + blocks;
            return new Run(first, blocks);
        } finally {
            lock.unlock();
        }
    }

    /** The longest of the runs from the cursor on, or the first that is long enough; null if none has {@code least}. */
    private Map.@Nullable Entry<Integer, Integer> find(int least, int wanted) {
        Map.@Nullable Entry<Integer, Integer> best = null;
        Map.@Nullable Entry<Integer, Integer> at = runs.ceilingEntry(cursor);
        int size = runs.size();
        for (int i = 0; i < size && (i < LOOK || best == null); i++) {
            Map.Entry<Integer, Integer> run = at == null ? runs.firstEntry() : at;
            if (run.getValue() >= wanted) {
                return run;
            }
            if (run.getValue() >= least && (best == null || run.getValue() > best.getValue())) {
                best = run;
            }
            at = runs.higherEntry(run.getKey());
        }
        return best;
    }

    @Override
    public void free(long block, int blocks) {
        lock.lock();
        try {
            usedBlocks -= blocks;
            add((int) block, blocks);
        } finally {
            lock.unlock();
        }
    }
}
