package org.ustore.engine.container.tree;

import java.util.BitSet;
import org.ustore.engine.container.PageSpace;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** A {@link PageSpace} that gives the first fit, or looks for a long run first, and fails the test when a block is given or taken back twice. */
final class BlockMap implements PageSpace {
    /** Block 0 is the superblock's. */
    private static final int FIRST = 1;

    private final BitSet used = new BitSet();
    private final int blocks;
    private final boolean longRuns;

    /** First fit, so that blocks are used again soon. */
    BlockMap(int blocks) {
        this(blocks, false);
    }

    /** {@code longRuns} gives all that is wanted where it can. */
    BlockMap(int blocks, boolean longRuns) {
        this.blocks = blocks;
        this.longRuns = longRuns;
    }

    /** Takes the blocks that a tree says it uses. */
    synchronized void take(long block, int count) {
        if (used.get((int) block, (int) block + count).cardinality() > 0) {
            throw new AssertionError("block used twice: " + block + " + " + count);
        }
        used.set((int) block, (int) block + count);
    }

    synchronized int usedBlocks() {
        return used.cardinality();
    }

    @Override
    public synchronized Run allocate(int least, int wanted) {
        if (longRuns && wanted > least) {
            try {
                return firstFit(wanted, wanted);
            } catch (ObjectStoreException e) {
                // Then a shorter one.
            }
        }
        return firstFit(least, wanted);
    }

    private Run firstFit(int least, int wanted) {
        int from = FIRST;
        while (true) {
            int start = used.nextClearBit(from);
            int next = used.nextSetBit(start);
            int end = next < 0 ? blocks : next;
            if (start + least > blocks) {
                throw new ObjectStoreException(ErrorCode.ENOSPC, "blocks wanted=" + least);
            }
            int length = Math.min(end - start, wanted);
            if (length >= least) {
                used.set(start, start + length);
                return new Run(start, length);
            }
            from = end;
        }
    }

    @Override
    public synchronized void free(long block, int count) {
        if (used.get((int) block, (int) block + count).cardinality() != count) {
            throw new AssertionError("block freed twice: " + block + " + " + count);
        }
        used.clear((int) block, (int) block + count);
    }
}
