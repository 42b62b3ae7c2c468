package org.ustore.engine.meta;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.CollectionId;

/** All collections of a store, and what each pool takes. */
public final class Catalog {
    /** Most bytes a collection itself takes in the image. */
    private static final int COLLECTION_BYTES = 64;

    private final TreeMap<CollectionId, CollectionState> collections = new TreeMap<>();
    private final Map<Long, Usage> usageByPool = new HashMap<>();

    /** A collection, or null. */
    public @Nullable CollectionState collection(CollectionId id) {
        return collections.get(id);
    }

    /** All collections, ascending. */
    public List<CollectionState> collections() {
        return new ArrayList<>(collections.values());
    }

    /** Adds a collection whose name is not taken. */
    public void add(CollectionState collection) {
        CollectionState before = collections.putIfAbsent(collection.id(), collection);
        assert before == null : collection.id();
    }

    /** Forgets a collection. */
    public void remove(CollectionId id) {
        collections.remove(id);
    }

    /** Independent copies of all collections: one step each. */
    public List<CollectionState> snapshot() {
        List<CollectionState> result = new ArrayList<>(collections.size());
        for (CollectionState collection : collections.values()) {
            result.add(collection.snapshot());
        }
        return result;
    }

    /** What the objects of a logical pool take, to be changed with them. */
    public Usage usage(long pool) {
        return usageByPool.computeIfAbsent(pool, _ -> new Usage());
    }

    /** The sum over all pools. */
    public Usage totalUsage() {
        Usage total = new Usage();
        usageByPool.values().forEach(total::add);
        return total;
    }

    /** Upper bound of what all of it takes in a checkpoint image, in bytes. */
    public long imageBytes() {
        long bytes = (long) collections.size() * COLLECTION_BYTES;
        for (Usage usage : usageByPool.values()) {
            bytes += usage.imageBytes;
        }
        return bytes;
    }

    /** The pools seen so far with what they take. */
    public Map<Long, Usage> usageByPool() {
        return usageByPool;
    }
}
