package org.ustore.engine.container.tree;

import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.MetadataStore;

/** Values by key in a tree. Safe for use by any thread. */
final class Lookup {
    /** Stands for a value when a page is not in memory. */
    private static final byte[] MISS = new byte[0];

    private final PageCache cache;

    Lookup(PageCache cache) {
        this.cache = cache;
    }

    /**
     * The value of a key, null if there is none, one that {@link #isMiss} knows if that takes a page that is not in memory.
     *
     * <p>The tree may be changing meanwhile; then the result is of no use, and any {@link IndexOutOfBoundsException} or
     * {@link NullPointerException} may come out.
     */
    byte @Nullable [] peek(PageRef root, byte[] key) {
        return value(root, key, false);
    }

    /** Whether {@link #peek} could not tell. */
    @SuppressWarnings("ReferenceEquality") // an empty value is none
    static boolean isMiss(byte @Nullable [] value) {
        return value == MISS;
    }

    /** The value of a key in a tree that does not change, or null. */
    byte @Nullable [] get(PageRef root, byte[] key) {
        return value(root, key, true);
    }

    private byte @Nullable [] value(PageRef root, byte[] key, boolean load) {
        Page leaf = leaf(root, key, 0, load);
        if (leaf == null) {
            return MISS;
        }
        int slot = leaf.find(key, 0, key.length, 0);
        if (slot < 0) {
            return null;
        }
        int length = leaf.length(slot);
        if (length < 0 || length > MetadataStore.MAX_VALUE_BYTES) {
            throw new IndexOutOfBoundsException("value length=" + length);
        }
        byte[] value = new byte[length];
        System.arraycopy(leaf.data, leaf.valueAt(slot), value, 0, leaf.valueBytes(slot));
        int part = 1;
        for (int at = PageFormat.PART_BYTES; at < length; at += PageFormat.PART_BYTES) {
            if (!readPart(root, key, part++, value, at, load)) {
                return MISS;
            }
        }
        return value;
    }

    private boolean readPart(PageRef root, byte[] key, int part, byte[] value, int at, boolean load) {
        Page leaf = leaf(root, key, part, load);
        if (leaf == null) {
            return false;
        }
        int slot = leaf.find(key, 0, key.length, part);
        System.arraycopy(leaf.data, leaf.valueAt(slot), value, at, leaf.valueBytes(slot));
        return true;
    }

    private @Nullable Page leaf(PageRef root, byte[] key, int part, boolean load) {
        Page page = load ? cache.get(root) : root.resident();
        while (page != null && page.level > 0) {
            PageRef child = page.children[page.childSlot(key, 0, key.length, part)];
            page = load ? cache.get(child) : child.resident();
        }
        return page;
    }
}
