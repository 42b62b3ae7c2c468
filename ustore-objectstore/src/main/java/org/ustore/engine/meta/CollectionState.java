package org.ustore.engine.meta;

import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/** One collection: its name, its bits and its objects in Ceph's order. */
public final class CollectionState {
    /** Number of low bits of the hash its objects share, 0 to 32. */
    public int bits;

    private final CollectionId id;
    private final SortedTable<ObjectId, Onode> objects;

    /** An empty collection. */
    public CollectionState(CollectionId id, int bits) {
        this(id, bits, new SortedTable<>());
    }

    private CollectionState(CollectionId id, int bits, SortedTable<ObjectId, Onode> objects) {
        this.id = id;
        this.bits = bits;
        this.objects = objects;
    }

    /** The name. */
    public CollectionId id() {
        return id;
    }

    /** The objects. */
    public SortedTable<ObjectId, Onode> objects() {
        return objects;
    }

    /** An independent copy that costs one step. */
    public CollectionState snapshot() {
        return new CollectionState(id, bits, objects.snapshot());
    }

    /** An object to change, or null: a copy of its own if a snapshot can see the present one. */
    public @Nullable Onode writable(ObjectId object) {
        Onode onode = objects.get(object);
        if (onode == null || onode.owner() == objects.owner()) {
            return onode;
        }
        Onode copy = onode.copy(objects.owner());
        objects.put(object, copy);
        return copy;
    }
}
