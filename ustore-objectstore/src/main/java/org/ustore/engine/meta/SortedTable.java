package org.ustore.engine.meta;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map of two levels: an array of leaves, each with up to 64 entries in arrays; snapshots cost one step.
 *
 * <p>Look-ups and changes take two binary searches and a copy within one leaf; a split moves the tail of the array of
 * leaves, which stays cheap up to millions of entries. A leaf is changed in place only if it carries this table's owner
 * token; {@link #snapshot} leaves the leaves to both tables and gives each a new token.
 */
public final class SortedTable<K extends Comparable<K>, V> {
    private static final int LEAF_ENTRIES = 64;
    private static final int MIN_LEAF_ENTRIES = 4;

    private Leaf[] leaves;
    private int leafCount;
    private boolean leavesShared;
    private Owner owner = new Owner();
    private int size;

    /** An empty table. */
    public SortedTable() {
        leaves = new Leaf[1];
    }

    private SortedTable(SortedTable<K, V> other) {
        leaves = other.leaves;
        leafCount = other.leafCount;
        leavesShared = true;
        size = other.size;
    }

    private static final class Leaf {
        final Owner owner;
        Object[] keys;
        Object[] values;
        int size;

        Leaf(Owner owner, Object[] keys, Object[] values, int size) {
            this.owner = owner;
            this.keys = keys;
            this.values = values;
            this.size = size;
        }
    }

    /** An independent table of the same entries. */
    public SortedTable<K, V> snapshot() {
        leavesShared = true;
        owner = new Owner();
        return new SortedTable<>(this);
    }

    /** The token of those who may change values of this table in place; another one after every snapshot. */
    public Owner owner() {
        return owner;
    }

    /** Number of entries. */
    public int size() {
        return size;
    }

    /** The value of {@code key}, or null. */
    public @Nullable V get(K key) {
        int l = leafOf(key);
        if (l < 0) {
            return null;
        }
        Leaf leaf = leaves[l];
        int i = indexIn(leaf, key);
        return i < 0 ? null : value(leaf, i);
    }

    /** Sets the value of {@code key} and returns the one before, or null. */
    public @Nullable V put(K key, V value) {
        if (leafCount == 0) {
            ownLeaves(1);
            Leaf only = new Leaf(owner, new Object[MIN_LEAF_ENTRIES], new Object[MIN_LEAF_ENTRIES], 0);
            leaves[0] = only;
            leafCount = 1;
            insert(0, only, 0, key, value);
            size = 1;
            return null;
        }
        int l = Math.max(0, leafOf(key));
        int i = indexIn(leaves[l], key);
        Leaf leaf = ownLeaf(l);
        if (i >= 0) {
            V before = value(leaf, i);
            leaf.values[i] = value;
            return before;
        }
        insert(l, leaf, -i - 1, key, value);
        size++;
        return null;
    }

    private void insert(int l, Leaf leaf, int at, K key, V value) {
        if (leaf.size == LEAF_ENTRIES) {
            // Keys that only ever grow, as those of a log do, leave full leaves behind.
            int keep = at == LEAF_ENTRIES && l == leafCount - 1 ? LEAF_ENTRIES : LEAF_ENTRIES / 2;
            split(l, leaf, keep);
            boolean left = at < keep || (at == keep && keep < LEAF_ENTRIES);
            insert(left ? l : l + 1, left ? leaf : leaves[l + 1], left ? at : at - keep, key, value);
            return;
        }
        if (leaf.size == leaf.keys.length) {
            int capacity = Math.min(LEAF_ENTRIES, leaf.size * 2);
            leaf.keys = Arrays.copyOf(leaf.keys, capacity);
            leaf.values = Arrays.copyOf(leaf.values, capacity);
        }
        System.arraycopy(leaf.keys, at, leaf.keys, at + 1, leaf.size - at);
        System.arraycopy(leaf.values, at, leaf.values, at + 1, leaf.size - at);
        leaf.keys[at] = key;
        leaf.values[at] = value;
        leaf.size++;
    }

    private void split(int l, Leaf leaf, int keep) {
        int moved = leaf.size - keep;
        Object[] keys = new Object[LEAF_ENTRIES];
        Object[] values = new Object[LEAF_ENTRIES];
        System.arraycopy(leaf.keys, keep, keys, 0, moved);
        System.arraycopy(leaf.values, keep, values, 0, moved);
        Arrays.fill(leaf.keys, keep, leaf.size, null);
        Arrays.fill(leaf.values, keep, leaf.size, null);
        leaf.size = keep;
        ownLeaves(leafCount + 1);
        System.arraycopy(leaves, l + 1, leaves, l + 2, leafCount - l - 1);
        leaves[l + 1] = new Leaf(owner, keys, values, moved);
        leafCount++;
    }

    /** Removes {@code key} and returns its value, or null. */
    public @Nullable V remove(K key) {
        int l = leafOf(key);
        int i = l < 0 ? -1 : indexIn(leaves[l], key);
        if (i < 0) {
            return null;
        }
        V before = value(leaves[l], i);
        removeWithin(l, i, i + 1);
        return before;
    }

    /** Removes the keys from {@code first} up to and without {@code last}, telling {@code removed} of each. */
    public void removeRange(K first, K last, BiConsumer<K, V> removed) {
        while (first.compareTo(last) < 0) {
            Cursor<K, V> from = new Cursor<>(this);
            from.lowerBound(first);
            if (!from.valid() || from.key().compareTo(last) >= 0) {
                return;
            }
            int l = from.leaf;
            Leaf leaf = leaves[l];
            int end = indexIn(leaf, last);
            int to = end < 0 ? -end - 1 : end;
            for (int i = from.index; i < to; i++) {
                removed.accept(key(leaf, i), value(leaf, i));
            }
            removeWithin(l, from.index, to);
        }
    }

    private void removeWithin(int l, int from, int to) {
        int rest = leaves[l].size - (to - from);
        size -= to - from;
        if (rest == 0) {
            ownLeaves(leafCount);
            System.arraycopy(leaves, l + 1, leaves, l, leafCount - l - 1);
            leafCount--;
            Arrays.fill(leaves, leafCount, leafCount + 1, null);
            return;
        }
        Leaf leaf = ownLeaf(l);
        System.arraycopy(leaf.keys, to, leaf.keys, from, leaf.size - to);
        System.arraycopy(leaf.values, to, leaf.values, from, leaf.size - to);
        Arrays.fill(leaf.keys, rest, leaf.size, null);
        Arrays.fill(leaf.values, rest, leaf.size, null);
        leaf.size = rest;
        mergeWithNext(l);
    }

    /** Joins a leaf with the following one when both are small, so that removals do not leave crumbs. */
    private void mergeWithNext(int l) {
        if (l + 1 >= leafCount || leaves[l].size + leaves[l + 1].size > LEAF_ENTRIES / 2) {
            return;
        }
        Leaf leaf = ownLeaf(l);
        Leaf next = leaves[l + 1];
        int total = leaf.size + next.size;
        leaf.keys = Arrays.copyOf(leaf.keys, Math.max(total, MIN_LEAF_ENTRIES));
        leaf.values = Arrays.copyOf(leaf.values, Math.max(total, MIN_LEAF_ENTRIES));
        System.arraycopy(next.keys, 0, leaf.keys, leaf.size, next.size);
        System.arraycopy(next.values, 0, leaf.values, leaf.size, next.size);
        leaf.size = total;
        ownLeaves(leafCount);
        System.arraycopy(leaves, l + 2, leaves, l + 1, leafCount - l - 2);
        leafCount--;
        Arrays.fill(leaves, leafCount, leafCount + 1, null);
    }

    /** Removes all entries. */
    public void clear() {
        leaves = new Leaf[1];
        leavesShared = false;
        leafCount = 0;
        size = 0;
    }

    /** Calls {@code visitor} for each entry, ascending; it must not change the table. */
    public void forEach(BiConsumer<K, V> visitor) {
        for (int l = 0; l < leafCount; l++) {
            Leaf leaf = leaves[l];
            for (int i = 0; i < leaf.size; i++) {
                visitor.accept(key(leaf, i), value(leaf, i));
            }
        }
    }

    /** A cursor of this table, standing nowhere; seek again after a change. */
    public Cursor<K, V> cursor() {
        return new Cursor<>(this);
    }

    /** Index of the last leaf whose first key is at or before {@code key}, or -1. */
    private int leafOf(K key) {
        int low = 0;
        int high = leafCount - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (key(leaves[mid], 0).compareTo(key) <= 0) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return high;
    }

    /** Index of {@code key} in the leaf, or -1 - the index it would have. */
    private int indexIn(Leaf leaf, K key) {
        int low = 0;
        int high = leaf.size - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            int c = key(leaf, mid).compareTo(key);
            if (c == 0) {
                return mid;
            }
            if (c < 0) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return -1 - low;
    }

    private void ownLeaves(int room) {
        if (leavesShared || room > leaves.length) {
            leaves = Arrays.copyOf(leaves, Math.max(leaves.length, room > leaves.length ? room * 2 : room));
            leavesShared = false;
        }
    }

    private Leaf ownLeaf(int l) {
        Leaf leaf = leaves[l];
        if (leaf.owner != owner) {
            ownLeaves(leafCount);
            leaf = new Leaf(owner, leaf.keys.clone(), leaf.values.clone(), leaf.size);
            leaves[l] = leaf;
        }
        return leaf;
    }

    @SuppressWarnings("unchecked") // only put() stores keys, and it takes a K
    private K key(Leaf leaf, int i) {
        return (K) leaf.keys[i];
    }

    @SuppressWarnings("unchecked") // only put() stores values, and it takes a V
    private V value(Leaf leaf, int i) {
        return (V) leaf.values[i];
    }

    /** A position in a table. Used by one thread at a time. */
    public static final class Cursor<K extends Comparable<K>, V> {
        private final SortedTable<K, V> table;
        private int leaf = -1;
        private int index;

        private Cursor(SortedTable<K, V> table) {
            this.table = table;
        }

        /** Goes to the first key. */
        public void first() {
            leaf = 0;
            index = 0;
        }

        /** Goes to the first key at or after {@code key}. */
        public void lowerBound(K key) {
            leaf = Math.max(0, table.leafOf(key));
            if (leaf < table.leafCount) {
                int i = table.indexIn(table.leaves[leaf], key);
                index = i < 0 ? -i - 1 : i;
                skipLeafEnd();
            }
        }

        /** Goes to the first key after {@code key}. */
        public void upperBound(K key) {
            lowerBound(key);
            if (valid() && key().compareTo(key) == 0) {
                next();
            }
        }

        /** Whether the cursor stands on an entry. */
        public boolean valid() {
            return leaf >= 0 && leaf < table.leafCount;
        }

        /** Goes on by one entry; only if valid. */
        public void next() {
            index++;
            skipLeafEnd();
        }

        private void skipLeafEnd() {
            if (index == table.leaves[leaf].size) {
                leaf++;
                index = 0;
            }
        }

        /** The key; only if valid. */
        public K key() {
            return table.key(table.leaves[leaf], index);
        }

        /** The value; only if valid. */
        public V value() {
            return table.value(table.leaves[leaf], index);
        }
    }
}
