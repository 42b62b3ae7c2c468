package org.ustore.engine.container.tree;

import java.util.Arrays;

/** Where the range of a child begins: a key, or the start of one, and a part. */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record Bound(byte[] key, int part) {
    static final Bound NONE = new Bound(new byte[0], 0);

    /** The shortest bound between the last cell of a leaf and the first of the one after it. */
    static Bound between(Page left, Page right) {
        int last = left.count - 1;
        int leftAt = left.keyAt(last);
        int rightAt = right.keyAt(0);
        int rightLength = right.keyLength(0);
        int common = Arrays.mismatch(
                left.data, leftAt, leftAt + left.keyLength(last), right.data, rightAt, rightAt + rightLength);
        return common < 0
                ? new Bound(right.key(0), right.part(0))
                : new Bound(Arrays.copyOfRange(right.data, rightAt, rightAt + common + 1), 0);
    }
}
