package org.ustore.objectstore;

import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A local store of objects, as a Ceph OSD needs it. See the package for the rules all stores keep.
 *
 * <p>Life: {@link #mkfs} once, then {@link #mount} and {@link #umount} any number of times; {@link #fsck} only while not
 * mounted. These four are called by one thread at a time. A process that dies without {@code umount} loses nothing that
 * was reported as committed.
 */
public interface ObjectStore {
    /** Largest size of an object in bytes; operations that would exceed it fail with {@link ErrorCode#E2BIG}. */
    long MAX_OBJECT_BYTES = 0xffff_ffffL;

    /** Makes a new, empty store. Fails with {@link ErrorCode#EEXIST} rather than overwrite one. */
    void mkfs(UUID fsid);

    /** Opens the store, recovering what a crash left. */
    void mount();

    /** Makes everything queued durable, runs every callback, closes. */
    void umount();

    /** Identity given at {@link #mkfs}; known once mounted. */
    UUID fsid();

    /**
     * Checks the store without changing it; it must not be mounted.
     *
     * @param deep also reads all data and compares it with its checksums
     */
    FsckReport fsck(boolean deep);

    /** Space of the whole store. */
    StoreStatistics statistics();

    /**
     * Space used by the objects of one pool, temporary ones included; total and available are 0.
     *
     * @throws ObjectStoreException {@link ErrorCode#EOPNOTSUPP} if the store does not keep count by pool
     */
    StoreStatistics poolStatistics(long pool);

    /** Facts worth knowing about this store and its device, for {@code ceph osd metadata}. */
    SortedMap<String, String> metadata();

    /** All collections, ascending. */
    List<CollectionId> listCollections();

    /** Whether the collection exists. */
    boolean collectionExists(CollectionId id);

    /** The handle of an existing collection, or null. */
    @Nullable Collection openCollection(CollectionId id);

    /**
     * A handle of a collection that a later transaction will create. It becomes the handle of that collection.
     *
     * @throws ObjectStoreException {@link ErrorCode#EEXIST} if the collection exists
     */
    Collection createNewCollection(CollectionId id);

    /**
     * Applies transactions, in order, and makes them durable.
     *
     * <p>On return all of them can be read, and their {@code onAppliedSync} callbacks have run on this thread. Their
     * {@code onApplied} and {@code onCommit} callbacks run later on a thread of the store, never on this one, in the
     * order of submission per collection. The payloads are no longer needed on return. May block while the store has
     * too much in flight.
     *
     * @param sequencer the collection whose order the transactions follow; they may change others too (split, merge,
     *     meta)
     * @throws ObjectStoreException if an operation cannot be applied. Nothing of these transactions becomes durable. With
     *     {@link ErrorCode#ENOSPC} nothing was applied and the store goes on; otherwise it has failed and answers
     *     {@link ErrorCode#ESHUTDOWN} from then on.
     */
    void queueTransactions(Collection sequencer, List<Transaction> transactions);

    /** As {@link #queueTransactions}, for one. */
    default void queueTransaction(Collection sequencer, Transaction transaction) {
        queueTransactions(sequencer, List.of(transaction));
    }
}
