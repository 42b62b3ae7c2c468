package org.ustore.engine.container;

/**
 * Where a container on a block device gets its pages from: runs of blocks of 4 KiB, kept by the caller.
 *
 * <p>{@link #allocate} is called by the thread that writes a checkpoint, without the caller's lock; {@link #free} by the
 * writer, and by the checkpoint's thread for what it did not need. An implementation is safe for both at once.
 */
public interface PageSpace {
    /**
     * Blocks next to each other.
     *
     * @param block the first, at least 1
     * @param blocks how many, at least 1
     */
    record Run(long block, int blocks) {}

    /**
     * Takes a run of at most {@code wanted} blocks, as long as is easily had but at least {@code least}.
     *
     * @throws org.ustore.objectstore.ObjectStoreException {@code ENOSPC} if there is no run of {@code least} blocks
     */
    Run allocate(int least, int wanted);

    /** Gives back blocks, all or part of what was allocated; they may be overwritten at once. */
    void free(long block, int blocks);
}
