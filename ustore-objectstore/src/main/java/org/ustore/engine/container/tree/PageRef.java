package org.ustore.engine.container.tree;

import org.jspecify.annotations.Nullable;

/**
 * A page of the tree, wherever it is: in memory, on the device, or both. Parents refer to their children by one, and all
 * copies of a parent to the same.
 *
 * <p>Without {@link #page} it is on the device. A checkpoint gives it its place
 * there, for good once it is {@link #written}.
 */
final class PageRef {
    /** The content, while in memory. */
    volatile @Nullable Page page;

    /** First block on the device, 0 if none yet. */
    long block;

    /** Length on the device in blocks. */
    int blocks;

    /** CRC-32C of the page on the device. */
    int checksum;

    /** Distance from the leaves. */
    final int level;

    /** Whether the device has it, so that memory may let go of it. */
    boolean written;

    /** Used since the cache last looked; an approximation, set without a lock. */
    boolean touched;

    /** Not part of the present tree any more; an approximation as well. */
    boolean retired;

    /** A page that is only in memory. */
    PageRef(Page page) {
        this.page = page;
        this.level = page.level;
    }

    /** A page that is only on the device. */
    PageRef(long block, int blocks, int checksum, int level) {
        this.block = block;
        this.blocks = blocks;
        this.checksum = checksum;
        this.level = level;
        this.written = true;
    }

    /** The page if it is in memory. */
    @Nullable Page resident() {
        Page present = page;
        if (present != null && !touched) {
            touched = true;
        }
        return present;
    }
}
