package org.ustore.objectstore.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.StoreStatistics;
import org.ustore.objectstore.Transaction;

/**
 * An {@link ObjectStore} in memory, the model that other stores are compared with.
 *
 * <p>Any thread may call it. Its content lives as long as the instance: {@link #umount} and {@link #mount} keep it,
 * nothing survives the process. Transactions are applied in {@link #queueTransactions} under one lock; callbacks run on
 * the store's finisher thread in the order of submission. A transaction that cannot be applied is taken back whole.
 *
 * <p>Where Ceph's stores differ from each other: an object must belong to its collection ({@link CollectionId#contains})
 * to be created there ({@link ErrorCode#EINVAL}); a clone onto itself changes nothing; overlapping ranges are cloned as
 * if through a buffer; reads of a failed store are refused like all else.
 */
public final class MemoryObjectStore implements ObjectStore {
    /** Capacity of a store made without one, in bytes: 1 TiB. */
    public static final long DEFAULT_CAPACITY_BYTES = 1L << 40;

    private final Object lock = new Object();
    private final long capacityBytes;
    private final Contents contents = new Contents();
    private final TransactionApplier applier = new TransactionApplier(contents);
    private final Map<CollectionId, MemoryCollection> handles = new HashMap<>();
    private @Nullable UUID fsid;
    private @Nullable Finisher finisher;
    private @Nullable ObjectStoreException failure;
    private boolean unmounting;

    /** A store that is practically never full. */
    public MemoryObjectStore() {
        this(DEFAULT_CAPACITY_BYTES);
    }

    /**
     * A store that answers {@link ErrorCode#ENOSPC} to whatever would make the data of all objects, counted in blocks of
     * 4 KiB and without sharing, larger than {@code capacityBytes}.
     */
    public MemoryObjectStore(long capacityBytes) {
        if (capacityBytes < 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "capacity " + capacityBytes + " bytes, expected 0 or more");
        }
        this.capacityBytes = capacityBytes;
    }

    @Override
    public void mkfs(UUID newFsid) {
        synchronized (lock) {
            if (fsid != null) {
                throw new ObjectStoreException(ErrorCode.EEXIST, "the store exists already, fsid=" + fsid);
            }
            fsid = newFsid;
        }
    }

    @Override
    public void mount() {
        synchronized (lock) {
            if (fsid == null) {
                throw new ObjectStoreException(ErrorCode.ENOENT, "there is no store yet; call mkfs first");
            }
            if (finisher != null) {
                throw new ObjectStoreException(ErrorCode.EBUSY, "the store is mounted already");
            }
            failure = null;
            finisher = new Finisher("memory-store-finisher");
        }
    }

    @Override
    public void umount() {
        Finisher closing;
        synchronized (lock) {
            closing = requireFinisher();
            if (closing.isFinisherThread()) {
                throw new ObjectStoreException(ErrorCode.EBUSY, "umount called by a callback, which it would wait for");
            }
            unmounting = true;
        }
        // Callbacks may still read and queue, so the store stays mounted until they have run.
        closing.close();
        synchronized (lock) {
            finisher = null;
            unmounting = false;
            handles.clear();
        }
    }

    @Override
    public UUID fsid() {
        synchronized (lock) {
            requireFinisher();
            if (fsid == null) {
                throw new AssertionError("mounted without fsid");
            }
            return fsid;
        }
    }

    @Override
    public FsckReport fsck(boolean deep) {
        synchronized (lock) {
            if (finisher != null) {
                throw new ObjectStoreException(ErrorCode.EBUSY, "fsck of a mounted store; umount it first");
            }
            List<String> errors = new ArrayList<>();
            long count = 0;
            for (CollectionId id : contents.collections()) {
                int bits = contents.bits(id);
                for (ObjectId object : contents.objects(id).keySet()) {
                    count++;
                    if (!id.contains(object, bits)) {
                        errors.add("object " + object + " does not belong in " + id + " of " + bits + " bits");
                    }
                }
            }
            return new FsckReport(errors, count);
        }
    }

    @Override
    public StoreStatistics statistics() {
        synchronized (lock) {
            requireRunning();
            StoreStatistics used = usage(object -> true);
            return StoreStatistics.plain(
                    capacityBytes,
                    capacityBytes - used.allocated(),
                    used.allocated(),
                    used.dataStored(),
                    used.omapAllocated(),
                    0);
        }
    }

    @Override
    public StoreStatistics poolStatistics(long pool) {
        synchronized (lock) {
            requireRunning();
            return usage(object -> object.logicalPool() == pool);
        }
    }

    private StoreStatistics usage(Predicate<ObjectId> counted) {
        long allocated = 0;
        long stored = 0;
        long omap = 0;
        for (CollectionId id : contents.collections()) {
            for (Map.Entry<ObjectId, StoredObject> entry : contents.objects(id).entrySet()) {
                if (counted.test(entry.getKey())) {
                    allocated += entry.getValue().allocatedBytes();
                    stored += entry.getValue().sizeBytes();
                    omap += entry.getValue().omapBytes();
                }
            }
        }
        return StoreStatistics.plain(0, 0, allocated, stored, omap, 0);
    }

    @Override
    public SortedMap<String, String> metadata() {
        return new TreeMap<>(Map.of("memory_capacity_bytes", Long.toString(capacityBytes)));
    }

    @Override
    public List<CollectionId> listCollections() {
        synchronized (lock) {
            requireRunning();
            return List.copyOf(contents.collections());
        }
    }

    @Override
    public boolean collectionExists(CollectionId id) {
        synchronized (lock) {
            requireRunning();
            return contents.contains(id);
        }
    }

    @Override
    public @Nullable Collection openCollection(CollectionId id) {
        synchronized (lock) {
            requireRunning();
            return contents.contains(id) ? handle(id) : null;
        }
    }

    @Override
    public Collection createNewCollection(CollectionId id) {
        synchronized (lock) {
            requireRunning();
            if (contents.contains(id)) {
                throw new ObjectStoreException(ErrorCode.EEXIST, "collection " + id + " exists");
            }
            return handle(id);
        }
    }

    private MemoryCollection handle(CollectionId id) {
        return handles.computeIfAbsent(id, key -> new MemoryCollection(this, key));
    }

    @Override
    public void queueTransactions(Collection sequencer, List<Transaction> transactions) {
        Finisher running;
        synchronized (lock) {
            running = requireRunning();
        }
        running.awaitRoom();
        synchronized (lock) {
            MemoryCollection collection = requireOwn(sequencer);
            if (unmounting && !running.isFinisherThread()) {
                throw new ObjectStoreException(ErrorCode.ESHUTDOWN, "the store is being unmounted");
            }
            applyAll(transactions);
            collection.pending++;
            requireRunning().add(() -> finish(collection, transactions));
        }
        for (Transaction transaction : transactions) {
            transaction.appliedSyncCallbacks().forEach(Runnable::run);
        }
    }

    private void applyAll(List<Transaction> transactions) {
        long before = contents.allocatedBytes();
        try {
            transactions.forEach(applier::apply);
        } catch (RuntimeException | Error e) {
            contents.rollBack();
            throw fail(e);
        }
        long after = contents.allocatedBytes();
        if (after > capacityBytes && after > before) {
            contents.rollBack();
            throw new ObjectStoreException(
                    ErrorCode.ENOSPC, "transactions need " + after + " bytes in all, capacity=" + capacityBytes);
        }
        contents.accept();
    }

    private ObjectStoreException fail(Throwable cause) {
        ObjectStoreException reported = cause instanceof ObjectStoreException e
                ? e
                : new ObjectStoreException(ErrorCode.EINVAL, "transaction could not be applied: " + cause, cause);
        failure = reported;
        return reported;
    }

    /** Runs on the finisher. */
    private void finish(MemoryCollection collection, List<Transaction> transactions) {
        try {
            for (Transaction transaction : transactions) {
                transaction.appliedCallbacks().forEach(Finisher::runGuarded);
                transaction.commitCallbacks().forEach(Finisher::runGuarded);
            }
        } finally {
            synchronized (lock) {
                collection.pending--;
            }
        }
    }

    boolean flushCommit(MemoryCollection collection, Runnable whenDurable) {
        synchronized (lock) {
            Finisher running = requireCurrent(collection);
            if (collection.pending == 0) {
                return true;
            }
            running.add(whenDurable);
            return false;
        }
    }

    /** Evaluates {@code query} under the lock, for a handle of the present mount. */
    <T> T reading(MemoryCollection collection, Function<Contents, T> query) {
        synchronized (lock) {
            requireCurrent(collection);
            return query.apply(contents);
        }
    }

    /** As {@link #reading}, for a query that may find nothing. */
    @Nullable StoredObject readingOrNull(MemoryCollection collection, Function<Contents, @Nullable StoredObject> query) {
        synchronized (lock) {
            requireCurrent(collection);
            return query.apply(contents);
        }
    }

    private MemoryCollection requireOwn(Collection sequencer) {
        if (!(sequencer instanceof MemoryCollection collection) || collection.store != this) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection handle " + sequencer + " is of another store");
        }
        requireCurrent(collection);
        return collection;
    }

    private Finisher requireCurrent(MemoryCollection collection) {
        Finisher running = requireRunning();
        if (handles.get(collection.id()) != collection) {
            throw new ObjectStoreException(
                    ErrorCode.ESHUTDOWN,
                    "handle of " + collection + " is of an earlier mount; open the collection again");
        }
        return running;
    }

    private Finisher requireRunning() {
        if (failure != null) {
            throw new ObjectStoreException(
                    ErrorCode.ESHUTDOWN,
                    "the store has failed and must be mounted again: " + failure.getMessage(),
                    failure);
        }
        return requireFinisher();
    }

    private Finisher requireFinisher() {
        if (finisher == null) {
            throw new ObjectStoreException(ErrorCode.ESHUTDOWN, "the store is not mounted");
        }
        return finisher;
    }
}
