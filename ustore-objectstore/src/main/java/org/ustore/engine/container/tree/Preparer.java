package org.ustore.engine.container.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.WriteBatch;

/**
 * Brings into memory, before a batch is carried out, all pages that this can touch, and holds on to them: what can fail
 * fails here, before the first effect.
 *
 * <p>These are the ways to the leaves that cover the keys, parts and bounds of the operations. Later operations of the
 * same batch need no others: pages made meanwhile are in memory, and when a range goes, what is left at its two ends
 * covers it. Used by the writer.
 */
final class Preparer implements WriteBatch.Target {
    private record Held(PageRef ref, Page page) {}

    private final PageCache cache;
    private final List<Held> held = new ArrayList<>();
    private @Nullable PageRef root;

    /** The way last taken, by level; most neighbours in a batch share it. */
    private final @Nullable PageRef[] lastRefs = new @Nullable PageRef[PageFormat.MAX_HEIGHT];

    Preparer(PageCache cache) {
        this.cache = cache;
    }

    /** Prepares {@code batch} for the tree below {@code currentRoot}. */
    void prepare(WriteBatch batch, PageRef currentRoot) {
        root = currentRoot;
        batch.forEach(this);
    }

    /** The page, from what was held; null if it was not prepared. */
    @Nullable Page held(PageRef ref) {
        for (Held candidate : held) {
            if (candidate.ref == ref) {
                return candidate.page;
            }
        }
        return null;
    }

    /** Lets go of everything. */
    void release() {
        held.clear();
        root = null;
        Arrays.fill(lastRefs, null);
    }

    @Override
    public void put(byte[] bytes, int key, int keyLength, int value, int valueLength) {
        whole(bytes, key, keyLength);
    }

    @Override
    public void delete(byte[] bytes, int key, int keyLength) {
        whole(bytes, key, keyLength);
    }

    @Override
    public void deleteRange(byte[] bytes, int from, int fromLength, int to, int toLength) {
        visit(bytes, from, fromLength, 0);
        visit(bytes, to, toLength, 0);
    }

    @Override
    public void patch(byte[] bytes, int key, int keyLength, int offset, int data, int dataLength) {
        int length = whole(bytes, key, keyLength);
        if (length > PageFormat.PART_BYTES) {
            int last = Math.max(0, length - 1) / PageFormat.PART_BYTES;
            int to = Math.max(0, offset + dataLength - 1) / PageFormat.PART_BYTES;
            visit(bytes, key, keyLength, last);
            for (int part = offset / PageFormat.PART_BYTES; part <= Math.min(to, last); part++) {
                visit(bytes, key, keyLength, part);
            }
        }
    }

    /** Where the first part of a value is and where the one after its last would be; returns the value's length. */
    private int whole(byte[] bytes, int key, int keyLength) {
        Page leaf = visit(bytes, key, keyLength, 0);
        int slot = leaf.find(bytes, key, keyLength, 0);
        int next = slot < 0 ? -1 - slot : slot + 1;
        // Whatever stands behind in this leaf is a bound enough; otherwise the parts may go on in the leaves after it.
        if (next == leaf.count || leaf.part(next) > 0) {
            visit(bytes, key, keyLength, PageFormat.LAST_PART);
        }
        return slot < 0 ? 0 : leaf.length(slot);
    }

    private Page visit(byte[] key, int at, int length, int part) {
        PageRef ref = Objects.requireNonNull(root, "a batch is being prepared");
        while (true) {
            Page page = cache.get(ref);
            if (lastRefs[ref.level] != ref) {
                lastRefs[ref.level] = ref;
                held.add(new Held(ref, page));
            }
            if (page.level == 0) {
                return page;
            }
            ref = page.children[page.childSlot(key, at, length, part)];
        }
    }
}
