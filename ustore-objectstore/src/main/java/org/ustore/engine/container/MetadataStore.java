package org.ustore.engine.container;

import org.jspecify.annotations.Nullable;

/**
 * An ordered map from byte strings to byte strings, in unsigned lexicographic order.
 *
 * <p>Methods marked <em>writer</em> are called by one thread at a time, under the caller's lock; the others by any thread
 * without it. Every method that may read the device throws {@link org.ustore.objectstore.ObjectStoreException} with
 * {@code EIO} that names the damaged page; nothing damaged is ever returned. After an unexpected failure half way through
 * a change all methods throw {@code ESHUTDOWN}.
 */
public interface MetadataStore {
    /** Longest key in bytes: a Ceph object name of 4,000 bytes, all of them escaped, and what stands before it. */
    int MAX_KEY_BYTES = 8192;

    /** Longest value in bytes. */
    int MAX_VALUE_BYTES = 16 << 20;

    /** Most snapshots open at a time. */
    int MAX_SNAPSHOTS = 1024;

    /** The value of {@code key} after the last batch applied, or null. The caller may keep and change the result. */
    byte @Nullable [] get(byte[] key);

    /**
     * Writer: makes all changes of {@code batch} visible at once, in memory.
     *
     * @throws org.ustore.objectstore.ObjectStoreException before the first effect: {@code EIO} if a page it needs is
     *     damaged, {@code EBUSY} if memory is full of changes that only a checkpoint can take away
     */
    void apply(WriteBatch batch);

    /**
     * A view that stays as the store is now, cheap to take, to be closed soon: it keeps replaced pages from being freed.
     *
     * @throws org.ustore.objectstore.ObjectStoreException {@code EBUSY} if {@link #MAX_SNAPSHOTS} are open
     */
    Snapshot snapshot();

    /** Number of keys after the last batch. */
    long size();

    /** Whether changed pages take so much memory that a checkpoint should begin now. */
    boolean wantsCheckpoint();

    /**
     * Writer: fixes what the next checkpoint will hold; short, no I/O. Batches go on being applied while it is written.
     *
     * @throws IllegalStateException if the one before is neither installed nor abandoned
     */
    Checkpoint beginCheckpoint();

    /**
     * Writer: carries on with work left over by deletes, checkpoints and closed snapshots, and gives pages back to the
     * free space.
     *
     * @param budget most pages to handle, at least 1; each takes microseconds, one in a hundred may read the device
     * @return pages handled; 0 if nothing can be done at present
     */
    int work(int budget);
}
