package org.ustore.engine.container.tree;

import static org.ustore.engine.container.tree.PageFormat.CHECKSUM_BYTES;
import static org.ustore.engine.container.tree.PageFormat.CHILD_CHECKSUM_AT;
import static org.ustore.engine.container.tree.PageFormat.CHILD_COUNT_AT;
import static org.ustore.engine.container.tree.PageFormat.CHILD_RUN_AT;
import static org.ustore.engine.container.tree.PageFormat.HEADER_BYTES;
import static org.ustore.engine.container.tree.PageFormat.INNER_CELL_BYTES;
import static org.ustore.engine.container.tree.PageFormat.INT;
import static org.ustore.engine.container.tree.PageFormat.LEAF_CELL_BYTES;
import static org.ustore.engine.container.tree.PageFormat.LENGTH_AT;
import static org.ustore.engine.container.tree.PageFormat.LONG;
import static org.ustore.engine.container.tree.PageFormat.PAGE_BYTES;
import static org.ustore.engine.container.tree.PageFormat.PART_AT;
import static org.ustore.engine.container.tree.PageFormat.PART_BYTES;
import static org.ustore.engine.container.tree.PageFormat.SHORT;
import static org.ustore.engine.container.tree.PageFormat.SLOT_BYTES;

import java.util.Arrays;
import org.ustore.engine.device.BlockDevice;

/**
 * A page in memory: the bytes of {@link PageFormat} and, for an inner page, its children.
 *
 * <p>Changed in place by the writer as long as the tree is in the {@link #epoch} the page was made in; never after. The
 * fields of an inner cell that say where the child is are filled in only when a checkpoint writes the page.
 */
final class Page {
    private static final PageRef[] NO_CHILDREN = new PageRef[0];

    /** Rough bytes of a page's objects besides its content. */
    private static final int OBJECT_BYTES = 160;

    byte[] data;

    /** Number of cells. */
    int count;

    /** Where the lowest cell starts. */
    int heap;

    /** Bytes of removed cells at and above {@link #heap}. */
    private int garbage;

    /** Children by slot, the first {@link #count} valid; empty for a leaf. */
    PageRef[] children;

    final int level;
    final long epoch;

    private Page(byte[] data, int count, int heap, int garbage, PageRef[] children, int level, long epoch) {
        this.data = data;
        this.count = count;
        this.heap = heap;
        this.garbage = garbage;
        this.children = children;
        this.level = level;
        this.epoch = epoch;
    }

    /** A page without cells that has room for {@code bytes} of cells and slots. */
    static Page empty(int level, long epoch, int bytes) {
        int length = lengthFor(bytes);
        return new Page(
                new byte[length],
                0,
                length - CHECKSUM_BYTES,
                0,
                level == 0 ? NO_CHILDREN : new PageRef[8],
                level,
                epoch);
    }

    /** A page read from the device, found to be without defect. */
    static Page loaded(byte[] data, int level) {
        int count = Short.toUnsignedInt((short) SHORT.get(data, 4));
        int heap = (int) INT.get(data, 24);
        PageRef[] children = level == 0 ? NO_CHILDREN : new PageRef[count];
        Page page = new Page(data, count, heap, 0, children, level, -1);
        int used = 0;
        for (int i = 0; i < count; i++) {
            int cell = page.cell(i);
            used += cellBytes(data, cell, level);
            if (level > 0) {
                long run = (long) LONG.get(data, cell + CHILD_RUN_AT);
                int checksum = (int) INT.get(data, cell + CHILD_CHECKSUM_AT);
                children[i] = new PageRef(run >>> 8, (int) (run & 0xff), checksum, level - 1);
            }
        }
        page.garbage = data.length - CHECKSUM_BYTES - heap - used;
        return page;
    }

    /** The same page for another epoch, to be changed. */
    Page copy(long newEpoch) {
        PageRef[] refs = level == 0 ? NO_CHILDREN : children.clone();
        Page copy = new Page(data.clone(), count, heap, garbage, refs, level, newEpoch);
        if (data.length > PAGE_BYTES && usedBytes() <= PAGE_BYTES / 2) {
            copy.rebuild(0, count, usedBytes());
        }
        return copy;
    }

    private static int lengthFor(int bytes) {
        int needed = HEADER_BYTES + bytes + CHECKSUM_BYTES;
        int block = BlockDevice.BLOCK_BYTES;
        return Math.max(PAGE_BYTES, (needed + block - 1) / block * block);
    }

    /** Bytes of memory taken, with the objects for children. */
    int memoryBytes() {
        return OBJECT_BYTES + (level == 0 ? data.length : 2 * data.length);
    }

    /** Bytes of cells and slots. */
    int usedBytes() {
        return data.length - CHECKSUM_BYTES - heap - garbage + count * SLOT_BYTES;
    }

    int cell(int slot) {
        return Short.toUnsignedInt((short) SHORT.get(data, HEADER_BYTES + slot * SLOT_BYTES));
    }

    static int cellBytes(byte[] data, int cell, int level) {
        int key = Short.toUnsignedInt((short) SHORT.get(data, cell));
        if (level > 0) {
            return INNER_CELL_BYTES + key;
        }
        // Of a damaged page the length may be anything; a negative one makes a cell that ends outside.
        int length = (int) INT.get(data, cell + LENGTH_AT);
        return LEAF_CELL_BYTES + key + (length < 0 ? PageFormat.MAX_PAGE_BYTES : Math.min(length, PART_BYTES));
    }

    int keyLength(int slot) {
        return Short.toUnsignedInt((short) SHORT.get(data, cell(slot)));
    }

    int keyAt(int slot) {
        return cell(slot) + (level == 0 ? LEAF_CELL_BYTES : INNER_CELL_BYTES);
    }

    int part(int slot) {
        return Short.toUnsignedInt((short) SHORT.get(data, cell(slot) + PART_AT));
    }

    byte[] key(int slot) {
        int at = keyAt(slot);
        return Arrays.copyOfRange(data, at, at + keyLength(slot));
    }

    /** Of part 0 the length of the whole value, of others that of the part. */
    int length(int slot) {
        return (int) INT.get(data, cell(slot) + LENGTH_AT);
    }

    void setLength(int slot, int length) {
        INT.set(data, cell(slot) + LENGTH_AT, length);
    }

    /** Where the cell's bytes of the value start. */
    int valueAt(int slot) {
        int cell = cell(slot);
        return cell + LEAF_CELL_BYTES + Short.toUnsignedInt((short) SHORT.get(data, cell));
    }

    /** How many bytes of the value the cell has. */
    int valueBytes(int slot) {
        return Math.min(length(slot), PART_BYTES);
    }

    /** Keys below the child. */
    long childCount(int slot) {
        return (long) LONG.get(data, cell(slot) + CHILD_COUNT_AT);
    }

    void setChildCount(int slot, long keys) {
        LONG.set(data, cell(slot) + CHILD_COUNT_AT, keys);
    }

    /** Puts where the child is on the device into its cell. */
    void setChildPlace(int slot, PageRef child) {
        int cell = cell(slot);
        INT.set(data, cell + CHILD_CHECKSUM_AT, child.checksum);
        LONG.set(data, cell + CHILD_RUN_AT, child.block << 8 | child.blocks);
    }

    /** Keys in and below this page. */
    long keys() {
        long keys = 0;
        for (int i = 0; i < count; i++) {
            keys += level > 0 ? childCount(i) : part(i) == 0 ? 1 : 0;
        }
        return keys;
    }

    /** Compares the key and part of a cell with those given. */
    int compare(int slot, byte[] key, int at, int length, int part) {
        byte[] in = data;
        int cell = cell(slot);
        int own = cell + (level == 0 ? LEAF_CELL_BYTES : INNER_CELL_BYTES);
        int order = Arrays.compareUnsigned(
                in, own, own + Short.toUnsignedInt((short) SHORT.get(in, cell)), key, at, at + length);
        return order != 0 ? order : Short.toUnsignedInt((short) SHORT.get(in, cell + PART_AT)) - part;
    }

    /** The slot of the cell with this key and part, or {@code -1 - slot} of the first one after it. */
    int find(byte[] key, int at, int length, int part) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = compare(middle, key, at, length, part);
            if (order < 0) {
                low = middle + 1;
            } else if (order > 0) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -1 - low;
    }

    /** The first slot at or after the key and part. */
    int lowerBound(byte[] key, int at, int length, int part) {
        int found = find(key, at, length, part);
        return found >= 0 ? found : -1 - found;
    }

    /** The slot of the child that covers the key and part. */
    int childSlot(byte[] key, int at, int length, int part) {
        int low = 1;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, key, at, length, part) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return low - 1;
    }

    /** Whether a cell of {@code bytes} can be added without more room. */
    boolean fits(int bytes) {
        return HEADER_BYTES + usedBytes() + bytes + SLOT_BYTES + CHECKSUM_BYTES <= data.length;
    }

    /** Adds a leaf cell at {@code slot}; it must {@link #fits fit}. */
    void insertValue(
            int slot, byte[] key, int at, int length, int part, int valueLength, byte[] value, int from, int bytes) {
        int cell = makeRoom(slot, LEAF_CELL_BYTES + length + bytes);
        SHORT.set(data, cell, (short) length);
        SHORT.set(data, cell + PART_AT, (short) part);
        INT.set(data, cell + LENGTH_AT, valueLength);
        System.arraycopy(key, at, data, cell + LEAF_CELL_BYTES, length);
        System.arraycopy(value, from, data, cell + LEAF_CELL_BYTES + length, bytes);
    }

    /** Adds a child at {@code slot}; its cell must {@link #fits fit}. */
    void insertChild(int slot, Bound bound, PageRef child, long keys) {
        int cell = makeRoom(slot, INNER_CELL_BYTES + bound.key().length);
        SHORT.set(data, cell, (short) bound.key().length);
        SHORT.set(data, cell + PART_AT, (short) bound.part());
        INT.set(data, cell + CHILD_CHECKSUM_AT, 0);
        LONG.set(data, cell + CHILD_RUN_AT, 0L);
        LONG.set(data, cell + CHILD_COUNT_AT, keys);
        System.arraycopy(bound.key(), 0, data, cell + INNER_CELL_BYTES, bound.key().length);
        addChild(slot, child);
    }

    private void addChild(int slot, PageRef child) {
        int before = count - 1;
        if (before == children.length) {
            children = Arrays.copyOf(children, 2 * before + 8);
        }
        System.arraycopy(children, slot, children, slot + 1, before - slot);
        children[slot] = child;
    }

    /** Opens a slot with a cell of {@code bytes} and returns where the cell starts. */
    private int makeRoom(int slot, int bytes) {
        int slotAt = HEADER_BYTES + slot * SLOT_BYTES;
        int slotsEnd = HEADER_BYTES + count * SLOT_BYTES;
        if (slotsEnd + SLOT_BYTES > heap - bytes) {
            assert fits(bytes) : "cell of " + bytes + " in page with " + usedBytes();
            rebuild(0, count, data.length - HEADER_BYTES - CHECKSUM_BYTES);
        }
        heap -= bytes;
        System.arraycopy(data, slotAt, data, slotAt + SLOT_BYTES, slotsEnd - slotAt);
        SHORT.set(data, slotAt, (short) heap);
        count++;
        return heap;
    }

    /** Keeps only the cells from one slot to before another, in new memory with room for {@code bytes}. */
    private void rebuild(int from, int to, int bytes) {
        byte[] old = data;
        byte[] fresh = new byte[lengthFor(bytes)];
        int top = fresh.length - CHECKSUM_BYTES;
        for (int i = from; i < to; i++) {
            int cell = cell(i);
            int length = cellBytes(old, cell, level);
            top -= length;
            System.arraycopy(old, cell, fresh, top, length);
            SHORT.set(fresh, HEADER_BYTES + (i - from) * SLOT_BYTES, (short) top);
        }
        if (level > 0) {
            children = Arrays.copyOfRange(children, from, Math.max(to, from + 8));
        }
        data = fresh;
        count = to - from;
        heap = top;
        garbage = 0;
    }

    /** Makes room for a cell of {@code bytes} more in a page of few large cells. */
    void grow(int bytes) {
        rebuild(0, count, usedBytes() + bytes + SLOT_BYTES);
    }

    /** Removes the cells from one slot to before another. */
    void remove(int from, int to) {
        for (int i = from; i < to; i++) {
            garbage += cellBytes(data, cell(i), level);
        }
        int end = HEADER_BYTES + count * SLOT_BYTES;
        int tail = HEADER_BYTES + to * SLOT_BYTES;
        System.arraycopy(data, tail, data, HEADER_BYTES + from * SLOT_BYTES, end - tail);
        if (level > 0) {
            System.arraycopy(children, to, children, from, count - to);
            Arrays.fill(children, count - (to - from), count, null);
        }
        count -= to - from;
        if (level > 0 && from == 0 && count > 0) {
            clearFirstBound();
        }
    }

    /** The first child of a page has no bound of its own. */
    void clearFirstBound() {
        int cell = cell(0);
        garbage += Short.toUnsignedInt((short) SHORT.get(data, cell));
        SHORT.set(data, cell, (short) 0);
        SHORT.set(data, cell + PART_AT, (short) 0);
    }

    /**
     * Moves the upper cells to a new page, so that a cell of {@code bytes} fits at {@code slot}: of this page if {@code
     * slot <= count} afterwards and it is not the last, see the result.
     */
    Split split(int slot, int bytes) {
        int middle = splitPoint(slot, bytes);
        boolean left = slot < middle;
        int kept = left ? middle - 1 : middle;
        int extra = bytes + SLOT_BYTES;
        int keptBytes = bytesOf(0, kept);
        int movedBytes = bytesOf(kept, count);
        Page right = copyOf(kept, count, movedBytes + (left ? 0 : extra));
        rebuild(0, kept, keptBytes + (left ? extra : 0));
        return new Split(right, left ? this : right, left ? slot : slot - kept);
    }

    /** How many cells, the new one counted, stay in the lower page. */
    private int splitPoint(int slot, int bytes) {
        if (slot == count) {
            // Keys that only ever ascend would leave a trail of half empty pages.
            return count;
        }
        int half = (usedBytes() + bytes + SLOT_BYTES) / 2;
        int sum = 0;
        for (int i = 0; i < count; i++) {
            int next = i < slot ? i : i == slot ? -1 : i - 1;
            int size = SLOT_BYTES + (next < 0 ? bytes : cellBytes(data, cell(next), level));
            if (sum + size / 2 >= half && i > 0) {
                return i;
            }
            sum += size;
        }
        return count;
    }

    private int bytesOf(int from, int to) {
        int bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += SLOT_BYTES + cellBytes(data, cell(i), level);
        }
        return bytes;
    }

    private Page copyOf(int from, int to, int bytes) {
        Page copy = new Page(data, count, heap, garbage, children, level, epoch);
        copy.rebuild(from, to, bytes);
        return copy;
    }

    /** Adds all cells of {@code right}, whose bound in the parent is given; they must fit. */
    void append(Page right, Bound bound) {
        for (int i = 0; i < right.count; i++) {
            if (level > 0) {
                Bound own = i == 0 ? bound : new Bound(right.key(i), right.part(i));
                insertChild(count, own, right.children[i], right.childCount(i));
            } else {
                int at = right.keyAt(i);
                int length = right.keyLength(i);
                insertValue(
                        count,
                        right.data,
                        at,
                        length,
                        right.part(i),
                        right.length(i),
                        right.data,
                        right.valueAt(i),
                        right.valueBytes(i));
            }
        }
    }

    /** What a split made: the upper page, and the page and slot where the new cell belongs. */
    record Split(Page right, Page target, int slot) {}
}
