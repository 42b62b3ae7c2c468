package org.ustore.engine.objects;

/** Data of a write that has been put in its place before the write is applied. */
final class Redirect {
    /** The object's block that the first one becomes. */
    final int first;

    final int[] blocks;
    final int[] checksums;

    Redirect(int first, int[] blocks) {
        this.first = first;
        this.blocks = blocks;
        this.checksums = new int[blocks.length];
    }

    /** One more than the object's last block of these. */
    int end() {
        return first + blocks.length;
    }
}
