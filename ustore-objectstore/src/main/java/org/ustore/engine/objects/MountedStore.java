package org.ustore.engine.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.core.Change;
import org.ustore.engine.core.Recovery;
import org.ustore.engine.core.Shard;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.StoreStatistics;
import org.ustore.objectstore.Transaction;

/** A mounted store: collections, transactions and statistics on top of a shard. Safe for use by any thread. */
public final class MountedStore {
    /** One part in so many of the memory for metadata holds decoded objects, the rest pages. */
    private static final int OBJECTS_SHARE = 4;

    private final Shard shard;
    private final ObjectTable table;
    private final BlockReader reader;
    private final Redirector redirector;
    private final TransactionApplier applier;
    private final ConcurrentHashMap<CollectionId, CollectionHandle> handles = new ConcurrentHashMap<>();

    /**
     * Recovers the store on {@code device}.
     *
     * @param maxPendingBlocks memory for about so many blocks not destaged
     * @param cacheBytes memory for metadata
     */
    public MountedStore(BlockDevice device, int maxPendingBlocks, long cacheBytes) {
        long objectBytes = cacheBytes / OBJECTS_SHARE;
        this.shard = Shard.start(Recovery.run(device, maxPendingBlocks, cacheBytes - objectBytes, new PlacesWalk()));
        this.table = new ObjectTable(shard.state(), objectBytes);
        this.reader = new BlockReader(shard.state());
        this.redirector = new Redirector(shard);
        this.applier = new TransactionApplier(shard, table, reader);
    }

    /** Makes everything durable, runs all callbacks and ends; the device stays open. */
    public void close() {
        try {
            shard.close();
        } finally {
            redirector.close();
        }
    }

    /** Identity of the store. */
    public UUID fsid() {
        return shard.fsid();
    }

    /** All collections, ascending. */
    public List<CollectionId> listCollections() {
        shard.checkReadable();
        return List.copyOf(table.collections().keySet());
    }

    /** Whether a collection exists. */
    public boolean collectionExists(CollectionId id) {
        shard.checkReadable();
        return table.collections().containsKey(id);
    }

    /** The handle of an existing collection, or null. */
    public @Nullable Collection openCollection(CollectionId id) {
        return collectionExists(id) ? handle(id) : null;
    }

    /** A handle of a collection to be made. */
    public Collection createNewCollection(CollectionId id) {
        if (collectionExists(id)) {
            throw new ObjectStoreException(ErrorCode.EEXIST, "collection " + id + " exists");
        }
        return handle(id);
    }

    private CollectionHandle handle(CollectionId id) {
        return handles.computeIfAbsent(id, key -> new CollectionHandle(key, shard, table, reader));
    }

    /** Applies transactions; see {@link org.ustore.objectstore.ObjectStore#queueTransactions}. */
    public void queueTransactions(Collection sequencer, List<Transaction> transactions) {
        CollectionHandle handle = handles.get(sequencer.id());
        if (handle == null || !handle.equals(sequencer)) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "collection handle " + sequencer.id() + " is not one of this mount; open it again");
        }
        List<Runnable> onApplied = new ArrayList<>();
        List<Runnable> onCommit = new ArrayList<>();
        for (Transaction transaction : transactions) {
            onApplied.addAll(transaction.appliedCallbacks());
            onCommit.addAll(transaction.commitCallbacks());
        }
        List<@Nullable Redirect> redirects = redirect(transactions);
        shard.lock().lock();
        try {
            admit(transactions, redirects);
            apply(transactions, redirects);
            shard.finish(onApplied);
            handle.queued(shard.endRecord(onCommit));
        } finally {
            shard.lock().unlock();
        }
        for (Transaction transaction : transactions) {
            transaction.appliedSyncCallbacks().forEach(Runnable::run);
        }
    }

    private List<@Nullable Redirect> redirect(List<Transaction> transactions) {
        try {
            return redirector.redirect(transactions);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    private void admit(List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        try {
            shard.admit(Demands.of(table, transactions, redirects));
        } catch (RuntimeException | Error e) {
            redirector.giveBack(redirects);
            throw failed(e);
        }
    }

    private void apply(List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        Change change = shard.beginRecord();
        try {
            applier.apply(change, transactions, redirects);
            if (change.recordBytes() > shard.maxRecordBytes()) {
                throw new ObjectStoreException(
                        ErrorCode.E2BIG,
                        "transactions take " + change.recordBytes() + " bytes of log; limit=" + shard.maxRecordBytes()
                                + ", a quarter of the log; make a store with a larger log_size");
            }
        } catch (RuntimeException | Error e) {
            shard.abandonRecord();
            shard.fail(e);
            throw e;
        }
    }

    /** Lack of space changes nothing; anything else means that the state is not known any more. */
    private RuntimeException failed(Throwable e) {
        if (e instanceof ObjectStoreException known
                && (known.code() == ErrorCode.ENOSPC || known.code() == ErrorCode.ESHUTDOWN)) {
            return known;
        }
        shard.fail(e);
        if (e instanceof Error error) {
            throw error;
        }
        return (RuntimeException) e;
    }

    /** Space of the store. */
    public StoreStatistics statistics() {
        shard.lock().lock();
        try {
            shard.checkReadable();
            Usage usage = new Usage();
            table.usage().values().forEach(usage::add);
            return new StoreStatistics(
                    bytes(shard.totalBlocks()),
                    bytes(shard.availableBlocks()),
                    bytes(shard.reserveBlocks()),
                    bytes(usage.allocatedBlocks),
                    usage.storedBytes,
                    0,
                    0,
                    0,
                    usage.omapBytes,
                    bytes(shard.metadataBlocks()));
        } finally {
            shard.lock().unlock();
        }
    }

    /** Space of one pool. */
    public StoreStatistics poolStatistics(long pool) {
        shard.lock().lock();
        try {
            shard.checkReadable();
            Usage usage = table.usage().getOrDefault(pool, new Usage());
            return StoreStatistics.plain(
                    0, 0, bytes(Math.max(0, usage.allocatedBlocks)), usage.storedBytes, usage.omapBytes, 0);
        } finally {
            shard.lock().unlock();
        }
    }

    private static long bytes(long blocks) {
        return blocks * BlockDevice.BLOCK_BYTES;
    }
}
