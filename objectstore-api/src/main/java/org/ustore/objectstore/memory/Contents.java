package org.ustore.objectstore.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/**
 * All collections and their objects, with a way back: {@link #rollBack} takes back every change since the last
 * {@link #accept}. Guarded by the store's lock.
 */
final class Contents {
    private static final class Shelf {
        final NavigableMap<ObjectId, StoredObject> objects = new TreeMap<>();
        int bits;
    }

    private final NavigableMap<CollectionId, Shelf> collections = new TreeMap<>();
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private long allocatedBytes;

    void accept() {
        undo.clear();
    }

    void rollBack() {
        while (!undo.isEmpty()) {
            undo.pop().run();
        }
    }

    /** Memory taken by the data of all objects. */
    long allocatedBytes() {
        return allocatedBytes;
    }

    NavigableSet<CollectionId> collections() {
        return collections.navigableKeySet();
    }

    boolean contains(CollectionId id) {
        return collections.containsKey(id);
    }

    /** The objects of a collection, empty if it does not exist; a live view, changed only through this class. */
    NavigableMap<ObjectId, StoredObject> objects(CollectionId id) {
        Shelf shelf = collections.get(id);
        return shelf == null ? Collections.emptyNavigableMap() : shelf.objects;
    }

    /** The bits of a collection, 0 if it does not exist. */
    int bits(CollectionId id) {
        Shelf shelf = collections.get(id);
        return shelf == null ? 0 : shelf.bits;
    }

    @Nullable StoredObject get(CollectionId id, ObjectId object) {
        return objects(id).get(object);
    }

    /** Sets an object of an existing collection, or removes it with null. */
    void put(CollectionId id, ObjectId object, @Nullable StoredObject value) {
        StoredObject old = replace(id, object, value);
        undo.push(() -> replace(id, object, old));
    }

    void setBits(CollectionId id, int bits) {
        Shelf shelf = shelf(id);
        int old = shelf.bits;
        shelf.bits = bits;
        undo.push(() -> shelf.bits = old);
    }

    void makeCollection(CollectionId id, int bits) {
        Shelf shelf = new Shelf();
        shelf.bits = bits;
        collections.put(id, shelf);
        undo.push(() -> collections.remove(id));
    }

    /** Removes an existing, empty collection. */
    void removeCollection(CollectionId id) {
        Shelf shelf = shelf(id);
        collections.remove(id);
        undo.push(() -> collections.put(id, shelf));
    }

    /** Moves objects from one existing collection to another. */
    void move(CollectionId from, List<ObjectId> objects, CollectionId to) {
        for (ObjectId object : new ArrayList<>(objects)) {
            StoredObject value = get(from, object);
            put(from, object, null);
            put(to, object, value);
        }
    }

    private @Nullable StoredObject replace(CollectionId id, ObjectId object, @Nullable StoredObject value) {
        NavigableMap<ObjectId, StoredObject> objects = shelf(id).objects;
        StoredObject old = value == null ? objects.remove(object) : objects.put(object, value);
        allocatedBytes += (value == null ? 0 : value.allocatedBytes()) - (old == null ? 0 : old.allocatedBytes());
        return old;
    }

    private Shelf shelf(CollectionId id) {
        Shelf shelf = collections.get(id);
        if (shelf == null) {
            throw new IllegalStateException("no collection " + id);
        }
        return shelf;
    }
}
