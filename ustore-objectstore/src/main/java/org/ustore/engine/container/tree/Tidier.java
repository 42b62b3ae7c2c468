package org.ustore.engine.container.tree;

import java.util.Arrays;
import org.ustore.engine.container.MetadataStore;

/**
 * Merges pages that a batch left empty or sparse with a neighbour, at its end and only with what is in memory.
 *
 * <p>Not before the end, because until then the batch counts on every leaf it prepared. Used by the writer.
 */
final class Tidier {
    /** A page with fewer bytes than this looks for a neighbour. */
    private static final int SPARSE_BYTES = PageFormat.PAGE_BYTES / 4;

    /** Most bytes of a page made by merging. */
    private static final int MERGED_BYTES = PageFormat.PAGE_BYTES * 3 / 4;

    /** Most places remembered; a batch that deletes more in single keys leaves some pages to later batches. */
    private static final int MOST_PLACES = 4096;

    private static final byte[] NO_BYTES = new byte[0];

    private final Tree tree;
    private byte[] bytes = NO_BYTES;
    /** Start, length and part of keys within {@link #bytes}. */
    private int[] places = new int[48];

    private int size;

    Tidier(Tree tree) {
        this.tree = tree;
        assert MetadataStore.MAX_KEY_BYTES < PageFormat.MAX_PAGE_BYTES;
    }

    static boolean isSparse(Page page) {
        return page.usedBytes() < SPARSE_BYTES;
    }

    /** The leaf that covers this key and part may be sparse, and so may the pages above it. */
    void note(byte[] batch, int key, int length, int part) {
        if (size == 3 * MOST_PLACES) {
            return;
        }
        if (size == places.length) {
            places = Arrays.copyOf(places, 2 * size);
        }
        bytes = batch;
        places[size] = key;
        places[size + 1] = length;
        places[size + 2] = part;
        size += 3;
    }

    /** Looks after all places noted. */
    void run() {
        for (int i = 0; i < size; i += 3) {
            tidy(places[i], places[i + 1], places[i + 2]);
        }
        if (size > 0) {
            tree.lowerRoot();
        }
        size = 0;
        bytes = NO_BYTES;
    }

    private void tidy(int key, int length, int part) {
        if (tree.peek(bytes, key, length, part) == null) {
            // Its leaf went with another place; what covers it now was not touched.
            return;
        }
        Page page = tree.descend(bytes, key, length, part);
        for (int d = tree.depth() - 1; d >= 0; d--) {
            Page parent = tree.pageOnWay(d);
            int slot = tree.slotOnWay(d);
            if (page.count == 0) {
                tree.unlink(parent, slot);
            } else if (isSparse(page) && !merge(parent, slot)) {
                merge(parent, slot - 1);
            }
            page = parent;
        }
    }

    /** Merges two children next to each other, if there are two, both are in memory, and they fit in one page. */
    private boolean merge(Page parent, int leftSlot) {
        if (leftSlot < 0 || leftSlot + 1 >= parent.count) {
            return false;
        }
        Page left = parent.children[leftSlot].resident();
        Page right = parent.children[leftSlot + 1].resident();
        if (left == null || right == null) {
            return false;
        }
        Bound bound = new Bound(parent.key(leftSlot + 1), parent.part(leftSlot + 1));
        if (left.usedBytes() + right.usedBytes() + bound.key().length > MERGED_BYTES) {
            return false;
        }
        long keys = parent.childCount(leftSlot) + parent.childCount(leftSlot + 1);
        Page target = tree.own(parent, leftSlot);
        target.append(right, bound);
        tree.unlink(parent, leftSlot + 1);
        parent.setChildCount(leftSlot, keys);
        return true;
    }
}
