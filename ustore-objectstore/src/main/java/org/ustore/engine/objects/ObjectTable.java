package org.ustore.engine.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.core.ShardState;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * What the metadata says about objects and collections. Collections and usage are few and kept in memory; objects are
 * cached. Reads by any thread without the shard's lock, unless said otherwise; changes are {@link Workspace}'s.
 */
final class ObjectTable {
    private final ShardState state;
    private final MetadataStore metadata;
    private final OnodeCache cache;
    /** Bits by collection. */
    private final ConcurrentSkipListMap<CollectionId, Integer> collections = new ConcurrentSkipListMap<>();
    /** By pool; under the shard's lock. */
    private final TreeMap<Long, Usage> usage = new TreeMap<>();
    /** First nid that is surely not in use; under the shard's lock. */
    private long nextNid = 1;

    /** Reads what is kept in memory. */
    ObjectTable(ShardState state, long cacheBytes) {
        this.state = state;
        this.metadata = state.tree();
        this.cache = new OnodeCache(cacheBytes);
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            byte[] end = Keys.after(Keys.COLLECTION);
            for (at.seek(new byte[] {Keys.COLLECTION}); at.valid() && at.compareKey(end) < 0; at.next()) {
                collections.put(Keys.collectionOf(at.key()), (int) at.value()[0]);
            }
            end = Keys.after(Keys.USAGE);
            for (at.seek(new byte[] {Keys.USAGE}); at.valid() && at.compareKey(end) < 0; at.next()) {
                usage.put(Keys.poolOf(at.key()), Usage.decode(at.value()));
            }
            byte[] nid = snapshot.get(Keys.NEXT_NID);
            if (nid != null) {
                nextNid = Keys.getLong(nid, 0);
            }
        }
    }

    ShardState state() {
        return state;
    }

    MetadataStore metadata() {
        return metadata;
    }

    OnodeCache cache() {
        return cache;
    }

    /** Bits by collection, ascending. */
    ConcurrentSkipListMap<CollectionId, Integer> collections() {
        return collections;
    }

    /** Usage by pool; under the lock. */
    Map<Long, Usage> usage() {
        return usage;
    }

    /** First nid that is not in use; under the lock. */
    long nextNid() {
        return nextNid;
    }

    /** Bits of an existing collection. */
    int bits(CollectionId id) {
        Integer bits = collections.get(id);
        if (bits == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no collection " + id);
        }
        return bits;
    }

    /** The object as it is now, not to be changed; null if it does not exist or is not one of the collection's. */
    @Nullable Onode find(CollectionId id, ObjectId object) {
        Integer bits = collections.get(id);
        return bits == null || !CollectionRange.contains(id, bits, object) ? null : find(object);
    }

    /** The object as it is now, not to be changed; null if it does not exist. */
    @Nullable Onode find(ObjectId object) {
        Onode cached = cache.get(object);
        if (cached != null) {
            return cached;
        }
        byte[] key = Keys.object(object);
        byte[] value = metadata.get(key);
        if (value == null || !state.lock().tryLock()) {
            return value == null ? null : Onode.decode(value);
        }
        try {
            // Only what is read under the lock may be kept: no change comes in between.
            cached = cache.get(object);
            if (cached != null) {
                return cached;
            }
            value = metadata.get(key);
            if (value == null) {
                return null;
            }
            Onode onode = Onode.decode(value);
            cache.put(object, onode);
            return onode;
        } finally {
            state.lock().unlock();
        }
    }

    /** Lists a collection's objects, see {@link org.ustore.objectstore.Collection#list}. */
    Listing list(CollectionId id, ObjectId start, ObjectId end, int max) {
        List<ObjectId> objects = new ArrayList<>();
        Integer bits = collections.get(id);
        if (bits == null || start.max()) {
            return new Listing(objects, ObjectId.MAX);
        }
        byte[] from = Keys.object(start);
        byte[] to = Keys.object(end);
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            for (CollectionRange range : CollectionRange.of(id, bits)) {
                at.seek(java.util.Arrays.compareUnsigned(range.from(), from) > 0 ? range.from() : from);
                for (; at.valid() && at.compareKey(range.to()) < 0; at.next()) {
                    ObjectId object = Keys.objectOf(at.key());
                    if (objects.size() >= max || at.compareKey(to) >= 0) {
                        return new Listing(objects, object);
                    }
                    objects.add(object);
                }
            }
        }
        return new Listing(objects, ObjectId.MAX);
    }

    /** Whether a collection holds no object; what a transaction under way has not written yet does not count. */
    boolean isEmpty(CollectionId id, int bits) {
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            for (CollectionRange range : CollectionRange.of(id, bits)) {
                at.seek(range.from());
                if (at.valid() && at.compareKey(range.to()) < 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
