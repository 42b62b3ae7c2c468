package org.ustore.engine.container.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;

/** A walk through the leaves of a frozen tree. It holds on to the pages on its way, whatever the cache does. */
final class TreeIterator implements KeyIterator {
    private static final byte[] FIRST = new byte[0];

    private enum Position {
        START,
        KEY,
        END
    }

    private final PageCache cache;
    private final Lookup lookup;
    private final PageRef root;
    private final @Nullable Page[] pages = new @Nullable Page[PageFormat.MAX_HEIGHT];
    private final int[] slots = new int[PageFormat.MAX_HEIGHT];
    /** Inner pages on the way. */
    private int depth;

    private @Nullable Page leaf;
    private int slot;
    private Position position = Position.START;

    TreeIterator(PageCache cache, PageRef root) {
        this.cache = cache;
        this.lookup = new Lookup(cache);
        this.root = root;
    }

    @Override
    public void seek(byte[] key) {
        seek(key, 0);
    }

    private void seek(byte[] key, int part) {
        Page page = cache.get(root);
        depth = 0;
        while (page.level > 0) {
            page = down(page, page.childSlot(key, 0, key.length, part));
        }
        leaf = page;
        slot = page.lowerBound(key, 0, key.length, part);
        settleForward();
    }

    private Page down(Page page, int childSlot) {
        pages[depth] = page;
        slots[depth] = childSlot;
        depth++;
        return cache.get(page.children[childSlot]);
    }

    /** Goes on to the next leaf while the slot is behind the last of this one. */
    private void settleForward() {
        Page page = current();
        while (slot >= page.count) {
            Page next = neighbour(1);
            if (next == null) {
                position = Position.END;
                return;
            }
            page = next;
            leaf = next;
            slot = 0;
        }
        position = Position.KEY;
    }

    /** Goes back to the leaf before while the slot is before the first of this one. */
    private void settleBackward() {
        while (slot < 0) {
            Page before = neighbour(-1);
            if (before == null) {
                position = Position.START;
                return;
            }
            leaf = before;
            slot = before.count - 1;
        }
        position = Position.KEY;
    }

    /** The leaf before or after this one, or null. */
    private @Nullable Page neighbour(int step) {
        for (int d = depth - 1; d >= 0; d--) {
            Page page = pages[d];
            if (page != null && slots[d] + step >= 0 && slots[d] + step < page.count) {
                depth = d;
                Page below = down(page, slots[d] + step);
                while (below.level > 0) {
                    below = down(below, step > 0 ? 0 : below.count - 1);
                }
                return below;
            }
        }
        return null;
    }

    @Override
    public void seekToEnd() {
        position = Position.END;
        leaf = null;
    }

    @Override
    public boolean valid() {
        return position == Position.KEY;
    }

    @Override
    public void next() {
        switch (position) {
            case START -> seek(FIRST, 0);
            case KEY -> {
                Page page = current();
                if (page.length(slot) > PageFormat.PART_BYTES) {
                    seek(page.key(slot), PageFormat.LAST_PART);
                } else {
                    slot++;
                    settleForward();
                }
            }
            case END -> {}
        }
    }

    @Override
    public void prev() {
        switch (position) {
            case START -> {
                return;
            }
            case KEY -> slot--;
            case END -> last();
        }
        settleBackward();
        if (position == Position.KEY) {
            Page page = current();
            if (page.part(slot) > 0) {
                seek(page.key(slot), 0);
            }
        }
    }

    /** Goes to the last cell of the last leaf. */
    private void last() {
        Page page = cache.get(root);
        depth = 0;
        while (page.level > 0) {
            page = down(page, page.count - 1);
        }
        leaf = page;
        slot = page.count - 1;
    }

    private Page current() {
        Page page = leaf;
        if (page == null) {
            throw new IllegalStateException("the iterator stands on no key");
        }
        return page;
    }

    private Page onKey() {
        if (position != Position.KEY) {
            throw new IllegalStateException("the iterator stands on no key");
        }
        return current();
    }

    @Override
    public byte[] key() {
        return onKey().key(slot);
    }

    @Override
    public int compareKey(byte[] other) {
        return onKey().compare(slot, other, 0, other.length, 0);
    }

    @Override
    public byte[] value() {
        Page page = onKey();
        int length = page.length(slot);
        if (length <= PageFormat.PART_BYTES) {
            int at = page.valueAt(slot);
            return Arrays.copyOfRange(page.data, at, at + length);
        }
        byte[] value = lookup.get(root, page.key(slot));
        assert value != null : "a frozen tree changed";
        return value == null ? FIRST : value;
    }
}
