package org.ustore.engine.container.tree;

import static org.ustore.engine.container.tree.PageFormat.LAST_PART;
import static org.ustore.engine.container.tree.PageFormat.PART_BYTES;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.WriteBatch;

/** Carries out the operations of a batch on the tree: keys and values become cells. Used by the writer. */
final class BatchApplier implements WriteBatch.Target {
    private final Tree tree;
    private final Tidier tidier;
    /** One part of a value being put together. */
    private final byte[] scratch = new byte[PART_BYTES];

    BatchApplier(Tree tree) {
        this.tree = tree;
        this.tidier = new Tidier(tree);
    }

    /** Carries out a batch that was prepared. */
    void apply(WriteBatch batch) {
        batch.forEach(this);
        tidier.run();
    }

    @Override
    public void put(byte[] bytes, int key, int keyLength, int value, int valueLength) {
        Page leaf = tree.descend(bytes, key, keyLength, 0);
        int found = leaf.find(bytes, key, keyLength, 0);
        if (found >= 0 && leaf.length(found) > PART_BYTES) {
            removeValue(bytes, key, keyLength);
            leaf = tree.descend(bytes, key, keyLength, 0);
            found = leaf.find(bytes, key, keyLength, 0);
        }
        int first = Math.min(valueLength, PART_BYTES);
        tree.store(leaf, found, bytes, key, keyLength, 0, valueLength, bytes, value, first);
        for (int part = 1; part < Tree.parts(valueLength); part++) {
            int start = part * PART_BYTES;
            storePart(bytes, key, keyLength, part, bytes, value + start, Math.min(PART_BYTES, valueLength - start));
        }
    }

    private void storePart(byte[] bytes, int key, int keyLength, int part, byte[] value, int from, int length) {
        Page leaf = tree.descend(bytes, key, keyLength, part);
        int found = leaf.find(bytes, key, keyLength, part);
        tree.store(leaf, found, bytes, key, keyLength, part, length, value, from, length);
    }

    private void removeValue(byte[] bytes, int key, int keyLength) {
        tree.removeRange(Range.ofValue(bytes, key, keyLength));
        tidier.note(bytes, key, keyLength, 0);
        tidier.note(bytes, key, keyLength, LAST_PART);
    }

    @Override
    public void delete(byte[] bytes, int key, int keyLength) {
        @Nullable Page seen = tree.peek(bytes, key, keyLength, 0);
        if (seen != null && seen.find(bytes, key, keyLength, 0) < 0) {
            return; // An absent key is no reason to write the page again.
        }
        Page leaf = tree.descend(bytes, key, keyLength, 0);
        int found = leaf.find(bytes, key, keyLength, 0);
        if (found < 0) {
            return;
        }
        if (leaf.length(found) > PART_BYTES) {
            removeValue(bytes, key, keyLength);
            return;
        }
        tree.removeCell(leaf, found);
        if (Tidier.isSparse(leaf)) {
            tidier.note(bytes, key, keyLength, 0);
        }
    }

    @Override
    public void deleteRange(byte[] bytes, int from, int fromLength, int to, int toLength) {
        Range range = new Range(bytes, from, fromLength, 0, to, toLength, 0);
        if (!range.isEmpty()) {
            tree.removeRange(range);
            tidier.note(bytes, from, fromLength, 0);
            tidier.note(bytes, to, toLength, 0);
        }
    }

    @Override
    public void patch(byte[] bytes, int key, int keyLength, int offset, int data, int dataLength) {
        Page leaf = tree.descend(bytes, key, keyLength, 0);
        int found = leaf.find(bytes, key, keyLength, 0);
        int oldLength = found < 0 ? 0 : leaf.length(found);
        int end = offset + dataLength;
        if (found >= 0 && end <= oldLength) {
            overwrite(bytes, key, keyLength, offset, data, end);
        } else {
            extend(bytes, key, keyLength, oldLength, offset, data, end);
        }
    }

    private void overwrite(byte[] bytes, int key, int keyLength, int offset, int data, int end) {
        for (int at = offset; at < end; ) {
            int part = at / PART_BYTES;
            int length = Math.min(end, (part + 1) * PART_BYTES) - at;
            Page leaf = tree.descend(bytes, key, keyLength, part);
            int slot = leaf.find(bytes, key, keyLength, part);
            System.arraycopy(bytes, data + at - offset, leaf.data, leaf.valueAt(slot) + at % PART_BYTES, length);
            at += length;
        }
    }

    /** Rewrites the parts from the first one changed to the new last one. */
    private void extend(byte[] bytes, int key, int keyLength, int oldLength, int offset, int data, int newLength) {
        int first = Math.min(offset, Math.max(0, oldLength - 1)) / PART_BYTES;
        for (int part = first; part < Tree.parts(newLength); part++) {
            int start = part * PART_BYTES;
            int length = Math.min(PART_BYTES, newLength - start);
            Arrays.fill(scratch, 0, length, (byte) 0);
            Page leaf = tree.descend(bytes, key, keyLength, part);
            int found = leaf.find(bytes, key, keyLength, part);
            if (found >= 0) {
                System.arraycopy(leaf.data, leaf.valueAt(found), scratch, 0, leaf.valueBytes(found));
            }
            int from = Math.max(start, offset);
            int to = start + length;
            if (from < to) {
                System.arraycopy(bytes, data + from - offset, scratch, from - start, to - from);
            }
            int stated = part == 0 ? newLength : length;
            tree.store(leaf, found, bytes, key, keyLength, part, stated, scratch, 0, length);
        }
        if (first > 0) {
            Page leaf = tree.descend(bytes, key, keyLength, 0);
            leaf.setLength(leaf.find(bytes, key, keyLength, 0), newLength);
        }
    }
}
