package org.ustore.engine.container.tree;

import static org.ustore.engine.container.tree.PageFormat.INNER_CELL_BYTES;
import static org.ustore.engine.container.tree.PageFormat.LEAF_CELL_BYTES;
import static org.ustore.engine.container.tree.PageFormat.PART_BYTES;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The present tree and how its cells are changed.
 *
 * <p>A page is changed in place if it was made in the present epoch; otherwise a copy takes its place in the parent,
 * which is one of this epoch already, as every change starts at the root. Changes are the writer's and need no I/O when
 * the pages were prepared; readers find out by themselves that one came in between.
 */
final class Tree {
    /** An inner page of fewer children grows rather than splits, so that long keys do not make a tree of pairs. */
    private static final int LEAST_CHILDREN = 4;

    private final PageCache cache;
    private final Epochs epochs;
    private final Preparer prepared;
    /** Inner pages cut off with all that is below them, which is still to be retired. */
    private final ArrayDeque<PageRef> garbage = new ArrayDeque<>();

    private volatile PageRef root;
    private final AtomicLong keys;
    private long epoch = 1;

    /** The way to the leaf last looked for: inner pages from the root down, and the slots taken. */
    private final Page[] pages = new Page[PageFormat.MAX_HEIGHT];

    private final int[] slots = new int[PageFormat.MAX_HEIGHT];
    private int depth;

    /** Bytes of changed pages that the cache has not been told of. */
    private long dirtyDelta;

    Tree(PageCache cache, Epochs epochs, Preparer prepared, @Nullable PageRef root, long keys) {
        this.cache = cache;
        this.epochs = epochs;
        this.prepared = prepared;
        this.keys = new AtomicLong(keys);
        this.root = root == null ? newRef(Page.empty(0, epoch, 0)) : root;
        settle();
    }

    PageRef root() {
        return root;
    }

    /** Number of keys. */
    long keys() {
        return keys.get();
    }

    /** Fixes the tree as it is: from now on all its pages are copied before a change. */
    FrozenRoot freeze() {
        epoch++;
        epochs.enter(epoch);
        return new FrozenRoot(root, keys.get(), epoch);
    }

    /** Tells the cache what changed since it was told last. */
    void settle() {
        long delta = dirtyDelta;
        dirtyDelta = 0;
        cache.addDirty(delta);
    }

    private PageRef newRef(Page page) {
        dirtyDelta += page.memoryBytes();
        return new PageRef(page);
    }

    private Page resident(PageRef ref) {
        Page page = ref.resident();
        if (page != null) {
            return page;
        }
        Page held = prepared.held(ref);
        assert held != null : "not prepared: block=" + ref.block + " level=" + ref.level;
        return held == null ? cache.get(ref) : cache.admit(ref, held);
    }

    private Page ownRoot() {
        Page page = resident(root);
        if (page.epoch == epoch) {
            return page;
        }
        Page copy = page.copy(epoch);
        PageRef old = root;
        root = newRef(copy);
        retire(old);
        return copy;
    }

    /** The child, as a page that can be changed. */
    Page own(Page parent, int slot) {
        PageRef ref = parent.children[slot];
        Page page = resident(ref);
        if (page.epoch == epoch) {
            return page;
        }
        Page copy = page.copy(epoch);
        parent.children[slot] = newRef(copy);
        retire(ref);
        return copy;
    }

    private void retire(PageRef ref) {
        Page page = ref.page;
        if (page != null && page.epoch == epoch) {
            // No root was frozen since it was made: it is nowhere but here.
            dirtyDelta -= page.memoryBytes();
        } else {
            epochs.retire(ref, epoch);
        }
    }

    /** A page is cut off, with all that is below it. */
    void discard(PageRef ref) {
        if (ref.level == 0) {
            retire(ref);
        } else {
            garbage.add(ref);
        }
    }

    /**
     * Retires pages below those cut off, about {@code budget}; returns how many.
     *
     * <p>Leaves are not read: their parents know where they are. A damaged inner page is reported once; what is below it
     * stays in use until the store is opened again, where only the present tree counts.
     */
    int collect(int budget) {
        int done = 0;
        while (done < budget) {
            PageRef ref = garbage.poll();
            if (ref == null) {
                break;
            }
            Page page = cache.get(ref);
            for (int i = 0; i < page.count; i++) {
                discard(page.children[i]);
            }
            done += page.count + 1;
            retire(ref);
        }
        settle();
        return done;
    }

    /** Finds the way to the leaf that covers a key and part, to change it. */
    Page descend(byte[] key, int at, int length, int part) {
        Page page = ownRoot();
        int d = 0;
        while (page.level > 0) {
            int slot = page.childSlot(key, at, length, part);
            pages[d] = page;
            slots[d] = slot;
            page = own(page, slot);
            d++;
        }
        depth = d;
        return page;
    }

    /** Finds a leaf without wanting to change anything; null if it takes a page that is not in memory. */
    @Nullable Page peek(byte[] key, int at, int length, int part) {
        Page page = root.resident();
        while (page != null && page.level > 0) {
            page = page.children[page.childSlot(key, at, length, part)].resident();
        }
        return page;
    }

    /** Inner pages on the way last found. */
    int depth() {
        return depth;
    }

    Page pageOnWay(int d) {
        return pages[d];
    }

    int slotOnWay(int d) {
        return slots[d];
    }

    private void addKeys(long delta) {
        keys.addAndGet(delta);
        for (int d = 0; d < depth; d++) {
            pages[d].setChildCount(slots[d], pages[d].childCount(slots[d]) + delta);
        }
    }

    /**
     * Puts a cell into {@code leaf}, to which {@link #descend} has just led; {@code found} is what looking for it there
     * gave.
     *
     * @param valueLength of the whole value for part 0, else {@code bytes}
     */
    void store(
            Page leaf,
            int found,
            byte[] key,
            int at,
            int length,
            int part,
            int valueLength,
            byte[] value,
            int from,
            int bytes) {
        int slot = found;
        if (found >= 0) {
            if (leaf.valueBytes(found) == bytes) {
                leaf.setLength(found, valueLength);
                System.arraycopy(value, from, leaf.data, leaf.valueAt(found), bytes);
                return;
            }
            leaf.remove(found, found + 1);
        } else {
            slot = -1 - found;
            if (part == 0) {
                addKeys(1);
            }
        }
        int need = LEAF_CELL_BYTES + length + bytes;
        if (leaf.fits(need)) {
            leaf.insertValue(slot, key, at, length, part, valueLength, value, from, bytes);
        } else if (leaf.count == 0) {
            grow(leaf, need);
            leaf.insertValue(slot, key, at, length, part, valueLength, value, from, bytes);
        } else {
            Page.Split split = split(leaf, slot, need);
            split.target().insertValue(split.slot(), key, at, length, part, valueLength, value, from, bytes);
            link(depth - 1, leaf, split.right(), Bound.between(leaf, split.right()));
        }
    }

    private void grow(Page page, int bytes) {
        int before = page.memoryBytes();
        page.grow(bytes);
        dirtyDelta += page.memoryBytes() - before;
    }

    private Page.Split split(Page page, int slot, int bytes) {
        int before = page.memoryBytes();
        Page.Split split = page.split(slot, bytes);
        dirtyDelta += page.memoryBytes() - before;
        return split;
    }

    /** Adds {@code right}, split off {@code left}, to the page {@code d} of the way, which is split as well if need be. */
    private void link(int d, Page left, Page right, Bound bound) {
        long rightKeys = right.keys();
        PageRef ref = newRef(right);
        if (d < 0) {
            Page top = Page.empty(left.level + 1, epoch, 0);
            top.insertChild(0, Bound.NONE, root, left.keys());
            growToFit(top, INNER_CELL_BYTES + bound.key().length);
            top.insertChild(1, bound, ref, rightKeys);
            root = newRef(top);
            return;
        }
        Page parent = pages[d];
        int slot = slots[d];
        parent.setChildCount(slot, parent.childCount(slot) - rightKeys);
        int need = INNER_CELL_BYTES + bound.key().length;
        if (parent.fits(need) || parent.count < LEAST_CHILDREN) {
            int before = parent.memoryBytes();
            growToFit(parent, need);
            dirtyDelta += parent.memoryBytes() - before;
            parent.insertChild(slot + 1, bound, ref, rightKeys);
            return;
        }
        Page.Split split = split(parent, slot + 1, need);
        split.target().insertChild(split.slot(), bound, ref, rightKeys);
        Page upper = split.right();
        Bound between = new Bound(upper.key(0), upper.part(0));
        upper.clearFirstBound();
        link(d - 1, parent, upper, between);
    }

    private static void growToFit(Page page, int bytes) {
        if (!page.fits(bytes)) {
            page.grow(bytes);
        }
    }

    /** Removes one cell of the leaf to which {@link #descend} has just led; it is part 0 and the only one. */
    void removeCell(Page leaf, int slot) {
        leaf.remove(slot, slot + 1);
        addKeys(-1);
    }

    /** Removes all cells in the range; whole pages are cut off unread. */
    void removeRange(Range range) {
        keys.addAndGet(-remove(ownRoot(), range, true, true));
    }

    /** Removes from the page what is at or after the range's start, if {@code low}, and before its end, if {@code high}. */
    private long remove(Page page, Range range, boolean low, boolean high) {
        return page.level == 0 ? removeCells(page, range, low, high) : removeChildren(page, range, low, high);
    }

    private static long removeCells(Page leaf, Range range, boolean low, boolean high) {
        int from = low ? leaf.lowerBound(range.bytes(), range.from(), range.fromLength(), range.fromPart()) : 0;
        int to = high ? leaf.lowerBound(range.bytes(), range.to(), range.toLength(), range.toPart()) : leaf.count;
        long removed = 0;
        for (int i = from; i < to; i++) {
            removed += leaf.part(i) == 0 ? 1 : 0;
        }
        leaf.remove(from, to);
        return removed;
    }

    private long removeChildren(Page page, Range range, boolean low, boolean high) {
        int from = low ? page.childSlot(range.bytes(), range.from(), range.fromLength(), range.fromPart()) : -1;
        int to = high ? page.childSlot(range.bytes(), range.to(), range.toLength(), range.toPart()) : page.count;
        if (from == to) {
            return removeBelow(page, from, range, low, high);
        }
        long removed = 0;
        if (low) {
            removed += removeBelow(page, from, range, true, false);
        }
        if (high) {
            removed += removeBelow(page, to, range, false, true);
        }
        for (int i = from + 1; i < to; i++) {
            removed += page.childCount(i);
            discard(page.children[i]);
        }
        page.remove(from + 1, to);
        return removed;
    }

    private long removeBelow(Page page, int slot, Range range, boolean low, boolean high) {
        long removed = remove(own(page, slot), range, low, high);
        page.setChildCount(slot, page.childCount(slot) - removed);
        return removed;
    }

    /** Takes a child out of its parent that has nothing in it, or nothing any more. */
    void unlink(Page parent, int slot) {
        PageRef ref = parent.children[slot];
        parent.remove(slot, slot + 1);
        retire(ref);
    }

    /** Takes levels off the top that have one child or none. */
    void lowerRoot() {
        Page top = root.resident();
        while (top != null && top.level > 0 && top.count < 2) {
            PageRef old = root;
            root = top.count == 0 ? newRef(Page.empty(0, epoch, 0)) : top.children[0];
            retire(old);
            top = root.resident();
        }
    }

    /** Splits a value into its parts. */
    static int parts(int length) {
        return Math.max(1, (length + PART_BYTES - 1) / PART_BYTES);
    }
}
