package org.ustore.engine.container.tree;

import java.util.Arrays;

/** Cells from one key and part on and before another, both within the bytes of a batch. */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record Range(byte[] bytes, int from, int fromLength, int fromPart, int to, int toLength, int toPart) {
    /** All parts of a value. */
    static Range ofValue(byte[] bytes, int key, int length) {
        return new Range(bytes, key, length, 0, key, length, PageFormat.LAST_PART);
    }

    boolean isEmpty() {
        int order = Arrays.compareUnsigned(bytes, from, from + fromLength, bytes, to, to + toLength);
        return order > 0 || (order == 0 && fromPart >= toPart);
    }
}
