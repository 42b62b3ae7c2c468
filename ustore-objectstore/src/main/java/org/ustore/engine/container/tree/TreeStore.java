package org.ustore.engine.container.tree;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.PageSpace;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The metadata container on a block device: a copy-on-write B+ tree.
 *
 * <p>Threads as {@link MetadataStore} says. {@link #get} reads the present tree without a lock and looks afterwards whether
 * a change came in between; changes hold the lock for microseconds and never while reading the device.
 */
public final class TreeStore implements MetadataStore {
    /** Smallest cache, in bytes. */
    public static final long LEAST_CACHE_BYTES = 512 << 10;

    private static final int OPTIMISTIC_READS = 3;

    private final PageIo io;
    private final PageCache cache;
    private final PageSpace space;
    private final Epochs epochs;
    private final Preparer preparer;
    private final Tree tree;
    private final BatchApplier applier;
    private final Lookup lookup;
    /** Held for writing while the tree changes or is frozen. */
    private final StampedLock changing = new StampedLock();

    private final Semaphore snapshots = new Semaphore(MAX_SNAPSHOTS);
    private long generation;
    private boolean checkpointing;
    private volatile @Nullable Throwable failure;

    private TreeStore(BlockDevice device, PageSpace space, long cacheBytes, RootRef root) {
        if (cacheBytes < LEAST_CACHE_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "metadata cache bytes=" + cacheBytes + " least=" + LEAST_CACHE_BYTES);
        }
        this.io = new PageIo(device);
        this.cache = new PageCache(io, cacheBytes);
        this.space = space;
        this.epochs = new Epochs(cache, space);
        this.preparer = new Preparer(cache);
        @Nullable PageRef top =
                root.block() == 0 ? null : new PageRef(root.block(), root.blocks(), root.checksum(), root.height() - 1);
        this.tree = new Tree(cache, epochs, preparer, top, root.entries());
        this.applier = new BatchApplier(tree);
        this.lookup = new Lookup(cache);
        this.generation = root.generation();
    }

    /**
     * Opens the tree of a checkpoint, or makes an empty one for {@link RootRef#EMPTY}. Reads its root page only.
     *
     * @param space where new pages come from; before the first checkpoint it must know which blocks are in use, see
     *     {@link #forEachPage}
     * @param cacheBytes memory for pages, from {@link #LEAST_CACHE_BYTES}
     * @throws ObjectStoreException {@code EIO} if the root page is damaged
     */
    public static TreeStore open(BlockDevice device, PageSpace space, long cacheBytes, RootRef root) {
        if (root.height() < 0 || root.height() > PageFormat.MAX_HEIGHT || (root.block() != 0 && root.height() == 0)) {
            throw new ObjectStoreException(
                    ErrorCode.EIO, "metadata root: height=" + root.height() + " limit=" + PageFormat.MAX_HEIGHT);
        }
        TreeStore store = new TreeStore(device, space, cacheBytes, root);
        store.cache.get(store.tree.root());
        return store;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        checkAlive();
        for (int i = 0; i < OPTIMISTIC_READS; i++) {
            long stamp = changing.tryOptimisticRead();
            if (stamp == 0) {
                Thread.onSpinWait();
                continue;
            }
            byte @Nullable [] value;
            try {
                value = lookup.peek(tree.root(), key);
            } catch (IndexOutOfBoundsException | NullPointerException e) {
                if (changing.validate(stamp)) {
                    throw e;
                }
                continue;
            }
            if (changing.validate(stamp)) {
                return Lookup.isMiss(value) ? getFromDevice(key) : value;
            }
        }
        return getLocked(key);
    }

    private byte @Nullable [] getLocked(byte[] key) {
        byte @Nullable [] value;
        long stamp = changing.readLock();
        try {
            value = lookup.peek(tree.root(), key);
        } finally {
            changing.unlockRead(stamp);
        }
        return Lookup.isMiss(value) ? getFromDevice(key) : value;
    }

    /** Under a ticket, so that no page is reused while it is being read. */
    private byte @Nullable [] getFromDevice(byte[] key) {
        FrozenRoot root = freeze();
        try {
            return lookup.get(root.ref(), key);
        } finally {
            epochs.leave(root.epoch());
        }
    }

    private FrozenRoot freeze() {
        long stamp = changing.writeLock();
        try {
            return tree.freeze();
        } finally {
            changing.unlockWrite(stamp);
        }
    }

    @Override
    public void apply(WriteBatch batch) {
        checkAlive();
        if (cache.isFull()) {
            throw new ObjectStoreException(
                    ErrorCode.EBUSY,
                    "metadata cache full of changes: bytes=" + cache.dirtyBytes() + "; install a checkpoint first");
        }
        try {
            preparer.prepare(batch, tree.root());
            change(batch);
        } finally {
            preparer.release();
        }
        tree.settle();
    }

    private void change(WriteBatch batch) {
        long stamp = changing.writeLock();
        try {
            applier.apply(batch);
        } catch (Throwable e) {
            // Half a batch is in the tree: whoever reads on would see it.
            failure = e;
            throw e;
        } finally {
            changing.unlockWrite(stamp);
        }
    }

    private void checkAlive() {
        Throwable cause = failure;
        if (cause != null) {
            throw new ObjectStoreException(
                    ErrorCode.ESHUTDOWN, "metadata changed in part; mount the store again", cause);
        }
    }

    @Override
    public Snapshot snapshot() {
        return treeSnapshot();
    }

    private TreeSnapshot treeSnapshot() {
        checkAlive();
        if (!snapshots.tryAcquire()) {
            throw new ObjectStoreException(ErrorCode.EBUSY, "open metadata snapshots: limit=" + MAX_SNAPSHOTS);
        }
        FrozenRoot root = freeze();
        return new TreeSnapshot(cache, root, () -> {
            epochs.leave(root.epoch());
            snapshots.release();
        });
    }

    @Override
    public long size() {
        checkAlive();
        return tree.keys();
    }

    @Override
    public boolean wantsCheckpoint() {
        return cache.wantsCheckpoint();
    }

    @Override
    public Checkpoint beginCheckpoint() {
        checkAlive();
        if (checkpointing) {
            throw new IllegalStateException("the checkpoint before has not ended");
        }
        checkpointing = true;
        generation++;
        return new TreeCheckpoint(io, cache, space, freeze(), generation, this::ended);
    }

    private void ended(FrozenRoot root, boolean installed) {
        if (!checkpointing) {
            throw new IllegalStateException("the checkpoint has ended before");
        }
        checkpointing = false;
        if (installed) {
            epochs.installed(root.epoch());
        }
        epochs.leave(root.epoch());
    }

    @Override
    public int work(int budget) {
        checkAlive();
        int done = tree.collect(budget);
        return done + (done < budget ? epochs.release(budget - done) : 0);
    }

    /**
     * Names all pages of the present tree that are on the device. Reads its inner pages, about one in a hundred.
     *
     * @throws ObjectStoreException {@code EIO} if one of these is damaged
     */
    public void forEachPage(PageVisitor visitor) {
        try (TreeSnapshot snapshot = treeSnapshot()) {
            new PageWalk(cache, visitor).walk(snapshot.root().ref());
        }
    }

    /**
     * Reads and checks every page of the present tree, while others go on, and reports each error as a line.
     *
     * @return pages checked
     */
    public long verify(Consumer<String> errors) {
        try (TreeSnapshot snapshot = treeSnapshot()) {
            return new Verifier(io, errors).verify(snapshot.root());
        }
    }

    /** Bytes of memory taken by pages; not above the configured bytes but for one batch and pages being read. */
    public long cacheBytes() {
        return cache.usedBytes();
    }

    /** Bytes of those pages that the next checkpoint has to write. */
    public long dirtyBytes() {
        return cache.dirtyBytes();
    }

    /** Pages read from the device so far. */
    public long pageReads() {
        return io.reads();
    }

    /** Pages that were read a second time because the first failed. */
    public long pageRereads() {
        return io.rereads();
    }
}
