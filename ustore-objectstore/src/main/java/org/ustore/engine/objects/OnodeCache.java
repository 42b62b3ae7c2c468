package org.ustore.engine.objects;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ObjectId;

/**
 * Objects used lately, decoded, in a bounded number of bytes; those not used lately go first (second chance). All of it is
 * in the metadata as well. {@link #get} may be called by any thread, the rest under the shard's lock.
 */
final class OnodeCache {
    private static final int MIN_DEAD = 1024;

    private final long capacityBytes;
    private final ConcurrentHashMap<ObjectId, Entry> entries = new ConcurrentHashMap<>();
    private final ArrayDeque<Entry> order = new ArrayDeque<>();
    private long bytes;
    private int dead;

    private static final class Entry {
        final ObjectId object;
        volatile Onode onode;
        volatile boolean touched;
        boolean removed;
        int bytes;

        Entry(ObjectId object, Onode onode, int bytes) {
            this.object = object;
            this.onode = onode;
            this.bytes = bytes;
        }
    }

    OnodeCache(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /** The object as it is now, not to be changed; null if it is not here. */
    @Nullable Onode get(ObjectId object) {
        Entry entry = entries.get(object);
        if (entry == null) {
            return null;
        }
        if (!entry.touched) {
            entry.touched = true;
        }
        return entry.onode;
    }

    /** Keeps an object that is in the metadata. */
    void put(ObjectId object, Onode onode) {
        int size = onode.memoryBytes()
                + object.name().length()
                + object.nspace().length()
                + object.key().length();
        Entry entry = entries.get(object);
        if (entry == null) {
            entry = new Entry(object, onode, size);
            entries.put(object, entry);
            order.add(entry);
            bytes += size;
        } else {
            bytes += size - entry.bytes;
            entry.bytes = size;
            entry.onode = onode;
        }
        shrink();
    }

    /** Forgets an object. */
    void remove(ObjectId object) {
        Entry entry = entries.remove(object);
        if (entry != null) {
            bytes -= entry.bytes;
            entry.removed = true;
            dead++;
            if (dead > MIN_DEAD && dead > order.size() / 2) {
                order.removeIf(e -> e.removed);
                dead = 0;
            }
        }
    }

    private void shrink() {
        int chances = order.size();
        while (bytes > capacityBytes) {
            Entry entry = order.poll();
            if (entry == null) {
                return;
            }
            if (entry.removed) {
                dead--;
            } else if (entry.touched && chances > 0) {
                chances--;
                entry.touched = false;
                order.add(entry);
            } else {
                entries.remove(entry.object);
                bytes -= entry.bytes;
            }
        }
    }

    /** Bytes of memory taken, about. */
    long bytes() {
        return bytes;
    }
}
