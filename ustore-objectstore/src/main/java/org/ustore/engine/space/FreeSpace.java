package org.ustore.engine.space;

/**
 * One bit per block of the device: set means not to be allocated.
 *
 * <p>Allocation is next fit: a run as long as asked for if one is found within a bounded stretch from the cursor, else
 * the next free blocks, however scattered, so that it succeeds whenever enough blocks are free. Small and large requests
 * have a cursor each; blocks of small writes that are destaged together then lie together.
 */
public final class FreeSpace {
    /** Requests from this many blocks on use the cursor for large ones. */
    private static final int LARGE_BLOCKS = 16;
    /** Words looked through for one run, 1 GiB of device: bounds the time of an allocation. */
    private static final int SEARCH_WORDS = 4096;

    private final long[] words;
    private final int totalBlocks;
    private int freeBlocks;
    private int smallCursor;
    private int largeCursor;

    /** A device of {@code totalBlocks} blocks whose first {@code reservedBlocks} are never given out. */
    public FreeSpace(int totalBlocks, int reservedBlocks) {
        this.totalBlocks = totalBlocks;
        this.words = new long[(totalBlocks + 63) >>> 6];
        for (int b = totalBlocks; b < words.length << 6; b++) {
            words[b >>> 6] |= 1L << b;
        }
        for (int b = 0; b < reservedBlocks; b++) {
            words[b >>> 6] |= 1L << b;
        }
        this.freeBlocks = totalBlocks - reservedBlocks;
        this.largeCursor = reservedBlocks;
        this.smallCursor = reservedBlocks + (totalBlocks - reservedBlocks) / 2;
    }

    private FreeSpace(FreeSpace other) {
        words = other.words.clone();
        totalBlocks = other.totalBlocks;
        freeBlocks = other.freeBlocks;
    }

    /** An independent copy. */
    public FreeSpace copy() {
        return new FreeSpace(this);
    }

    /** Number of blocks that can be allocated. */
    public int freeBlocks() {
        return freeBlocks;
    }

    /** Number of blocks of the device. */
    public int totalBlocks() {
        return totalBlocks;
    }

    /** Whether {@code block} is in use or reserved. */
    public boolean isUsed(int block) {
        return (words[block >>> 6] & (1L << block)) != 0;
    }

    /** Marks a block used; false if it was already. */
    public boolean markUsed(int block) {
        if (isUsed(block)) {
            return false;
        }
        words[block >>> 6] |= 1L << block;
        freeBlocks--;
        return true;
    }

    /** Frees a used block. */
    public void release(int block) {
        if (!isUsed(block)) {
            throw new IllegalStateException("block " + block + " is freed twice");
        }
        words[block >>> 6] &= ~(1L << block);
        freeBlocks++;
    }

    /** Allocates {@code count} blocks, ascending within each run; the caller has checked that so many are free. */
    public int[] allocate(int count) {
        if (count > freeBlocks) {
            throw new IllegalStateException("allocation of " + count + " blocks with " + freeBlocks + " free");
        }
        int[] result = new int[count];
        boolean large = count >= LARGE_BLOCKS;
        int cursor = large ? largeCursor : smallCursor;
        int start = findRun(cursor, count);
        int at = start >= 0 ? start : cursor;
        for (int n = 0; n < count; n++) {
            at = nextFree(at);
            words[at >>> 6] |= 1L << at;
            result[n] = at;
            at = at + 1 == totalBlocks ? 0 : at + 1;
        }
        freeBlocks -= count;
        if (large) {
            largeCursor = at;
        } else {
            smallCursor = at;
        }
        return result;
    }

    /** Allocates {@code count} blocks next to each other and returns the first, or -1 if there are none. */
    public int allocateRun(int count) {
        int start = findRun(largeCursor, count);
        // The stretches overlap, so that no run is missed.
        for (long from = 0; start < 0 && from < totalBlocks; from += ((long) SEARCH_WORDS << 6) - count) {
            start = findRun((int) from, count);
        }
        if (start < 0) {
            return -1;
        }
        for (int b = start; b < start + count; b++) {
            words[b >>> 6] |= 1L << b;
        }
        freeBlocks -= count;
        largeCursor = start + count == totalBlocks ? 0 : start + count;
        return start;
    }

    /** First block of a free run of {@code count} blocks within the bounded stretch, or -1. */
    private int findRun(int from, int count) {
        int run = 0;
        int at = from;
        long budget = Math.min((long) SEARCH_WORDS << 6, totalBlocks);
        while (budget > 0) {
            if (at >= totalBlocks) {
                at = 0;
                run = 0;
            }
            long word = words[at >>> 6] >>> at;
            int inWord = 64 - (at & 63);
            int free = Math.min(Long.numberOfTrailingZeros(word), inWord);
            if (run + free >= count) {
                return at - run;
            }
            if (free == inWord) {
                run += free;
                at += free;
                budget -= free;
            } else {
                run = 0;
                long afterFree = ~(word >>> free);
                int used = Math.min(Long.numberOfTrailingZeros(afterFree), inWord - free);
                at += free + used;
                budget -= free + used;
            }
        }
        return -1;
    }

    private int nextFree(int from) {
        int index = from >>> 6;
        long free = ~words[index] & (-1L << from);
        while (free == 0) {
            index = index + 1 == words.length ? 0 : index + 1;
            free = ~words[index];
        }
        return (index << 6) + Long.numberOfTrailingZeros(free);
    }
}
