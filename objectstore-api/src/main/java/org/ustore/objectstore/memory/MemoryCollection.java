package org.ustore.objectstore.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.BufferAllocator;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStat;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Omap;
import org.ustore.objectstore.OmapIterator;
import org.ustore.objectstore.PoolOptions;

/** The handle of a collection for one mount. Fetches an object's version under the store's lock, reads it without. */
final class MemoryCollection implements Collection {
    final MemoryObjectStore store;
    private final CollectionId id;

    /** Transactions whose commit callbacks have not all run yet; guarded by the store's lock. */
    long pending;

    MemoryCollection(MemoryObjectStore store, CollectionId id) {
        this.store = store;
        this.id = id;
    }

    @Override
    public CollectionId id() {
        return id;
    }

    @Override
    public int bits() {
        return store.reading(this, contents -> contents.bits(id));
    }

    @Override
    public boolean isEmpty() {
        return store.reading(this, contents -> contents.objects(id).isEmpty());
    }

    @Override
    public Listing list(ObjectId start, ObjectId end, int max) {
        if (max < 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "listing of at most " + max + " objects, expected 0 or more");
        }
        return store.reading(this, contents -> {
            List<ObjectId> page = new ArrayList<>();
            for (ObjectId object : contents.objects(id).tailMap(start, true).keySet()) {
                if (page.size() == max || object.compareTo(end) >= 0) {
                    return new Listing(page, object);
                }
                page.add(object);
            }
            return new Listing(page, ObjectId.MAX);
        });
    }

    @Override
    public boolean exists(ObjectId object) {
        return find(object) != null;
    }

    @Override
    public ObjectStat stat(ObjectId object) {
        return new ObjectStat(get(object).sizeBytes());
    }

    @Override
    public long read(ObjectId object, long offset, long length, BufferAllocator out) {
        requireRange(offset, length);
        StoredObject found = get(object);
        long wanted = offset == 0 && length == 0 ? found.sizeBytes() : length;
        long size = clip(found, offset, wanted);
        found.read(offset, out.allocate(size), 0, size);
        return size;
    }

    @Override
    public long read(ObjectId object, List<Extent> extents, BufferAllocator out) {
        StoredObject found = get(object);
        long total = 0;
        for (Extent extent : extents) {
            total += clip(found, extent.offset(), extent.length());
        }
        MemorySegment target = out.allocate(total);
        long done = 0;
        for (Extent extent : extents) {
            long size = clip(found, extent.offset(), extent.length());
            found.read(extent.offset(), target, done, size);
            done += size;
        }
        return total;
    }

    @Override
    public List<Extent> fiemap(ObjectId object, long offset, long length) {
        requireRange(offset, length);
        return get(object).extents(offset, length);
    }

    @Override
    public ByteString attribute(ObjectId object, ByteString name) {
        ByteString value = get(object).attributes().get(name);
        if (value == null) {
            throw new ObjectStoreException(ErrorCode.ENODATA, "no attribute " + name + " of " + object + " in " + id);
        }
        return value;
    }

    @Override
    public Map<ByteString, ByteString> attributes(ObjectId object) {
        return Collections.unmodifiableMap(get(object).attributes());
    }

    @Override
    public Omap omap(ObjectId object) {
        StoredObject found = get(object);
        return new Omap(found.header(), Collections.unmodifiableSortedMap(found.omap()));
    }

    @Override
    public ByteString omapHeader(ObjectId object) {
        return get(object).header();
    }

    @Override
    public SortedSet<ByteString> omapKeys(ObjectId object) {
        return Collections.unmodifiableSortedSet(get(object).omap().navigableKeySet());
    }

    @Override
    public SortedMap<ByteString, ByteString> omapValues(ObjectId object, Set<ByteString> keys) {
        SortedMap<ByteString, ByteString> values = new TreeMap<>(get(object).omap());
        values.keySet().retainAll(keys);
        return values;
    }

    @Override
    public SortedSet<ByteString> omapExistingKeys(ObjectId object, Set<ByteString> keys) {
        SortedSet<ByteString> existing = new TreeSet<>(keys);
        existing.retainAll(get(object).omap().keySet());
        return existing;
    }

    @Override
    public @Nullable OmapIterator omapIterator(ObjectId object) {
        StoredObject found = find(object);
        return found == null ? null : new MemoryOmapIterator(found.omap());
    }

    @Override
    public void flush() {
        // Transactions are applied before queueTransactions returns.
    }

    @Override
    public boolean flushCommit(Runnable whenDurable) {
        return store.flushCommit(this, whenDurable);
    }

    @Override
    public void setOptions(PoolOptions options) {
        throw new ObjectStoreException(
                ErrorCode.EOPNOTSUPP, "the memory store has no options per pool, got " + options);
    }

    @Override
    public String toString() {
        return id.toString();
    }

    private @Nullable StoredObject find(ObjectId object) {
        return store.readingOrNull(this, contents -> contents.get(id, object));
    }

    private StoredObject get(ObjectId object) {
        StoredObject found = find(object);
        if (found == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no object " + object + " in " + id);
        }
        return found;
    }

    private static long clip(StoredObject object, long offset, long length) {
        return Math.clamp(object.sizeBytes() - offset, 0, length);
    }

    private static void requireRange(long offset, long length) {
        if (offset < 0 || length < 0) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "negative range offset=" + offset + " length=" + length);
        }
    }
}
