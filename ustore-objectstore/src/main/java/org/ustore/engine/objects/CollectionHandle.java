package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.core.Shard;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.space.ReadGuard;
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

/**
 * The handle of one collection, and all reads. Metadata is read without the shard's lock; that is taken for a moment to
 * note where data is.
 */
final class CollectionHandle implements Collection {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;

    private final CollectionId id;
    private final Shard shard;
    private final ObjectTable table;
    private final BlockReader reader;
    private final ReentrantLock lock;
    /** The last record queued on it; under the lock. */
    private long lastRecord;

    CollectionHandle(CollectionId id, Shard shard, ObjectTable table, BlockReader reader) {
        this.id = id;
        this.shard = shard;
        this.table = table;
        this.reader = reader;
        this.lock = shard.lock();
    }

    /** Notes a record queued on it; under the lock. */
    void queued(long record) {
        lastRecord = record;
    }

    @Override
    public CollectionId id() {
        return id;
    }

    private @Nullable Onode find(ObjectId object) {
        shard.checkReadable();
        return table.find(id, object);
    }

    private Onode get(ObjectId object) {
        Onode onode = find(object);
        if (onode == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no object " + object + " in " + id);
        }
        return onode;
    }

    @Override
    public int bits() {
        shard.checkReadable();
        return table.collections().getOrDefault(id, 0);
    }

    @Override
    public boolean isEmpty() {
        shard.checkReadable();
        Integer bits = table.collections().get(id);
        return bits == null || table.isEmpty(id, bits);
    }

    @Override
    public Listing list(ObjectId start, ObjectId end, int max) {
        if (max < 0) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "list of at most " + max + " objects; limit 0 or more");
        }
        shard.checkReadable();
        return table.list(id, start, end, max);
    }

    @Override
    public boolean exists(ObjectId object) {
        return find(object) != null;
    }

    @Override
    public ObjectStat stat(ObjectId object) {
        return new ObjectStat(get(object).size);
    }

    @Override
    public long read(ObjectId object, long offset, long length, BufferAllocator out) {
        checkRange(object, offset, length);
        return read(object, out, onode -> {
            long wanted = offset == 0 && length == 0 ? onode.size : length;
            return List.of(new Extent(offset, clipped(onode, offset, wanted)));
        });
    }

    private static long clipped(Onode onode, long offset, long length) {
        return Math.max(0, Math.min(length, onode.size - offset));
    }

    @Override
    public long read(ObjectId object, List<Extent> extents, BufferAllocator out) {
        return read(object, out, onode -> {
            List<Extent> inside = new ArrayList<>(extents.size());
            for (Extent extent : extents) {
                inside.add(new Extent(extent.offset(), clipped(onode, extent.offset(), extent.length())));
            }
            return inside;
        });
    }

    /** Reads the ranges that {@code ranges} makes of an object one after the other. */
    private long read(ObjectId object, BufferAllocator out, Function<Onode, List<Extent>> ranges) {
        ReadGuard guard = shard.state().guard();
        List<BlockReader.Plan> plans = new ArrayList<>(1);
        long changes = shard.state().changes();
        Onode onode = get(object);
        List<Extent> extents = ranges.apply(onode);
        // Whatever must come from the device comes without the lock; under it, it is looked at.
        ChunkValues values = ChunkValues.read(table.metadata(), onode, extents);
        int ticket;
        lock.lock();
        try {
            if (shard.state().changes() != changes) {
                onode = get(object);
                extents = ranges.apply(onode);
                values = ChunkValues.read(table.metadata(), onode, extents);
            }
            for (Extent extent : extents) {
                plans.add(reader.plan(object, values, extent.offset(), extent.length()));
            }
            ticket = guard.enter();
        } finally {
            lock.unlock();
        }
        try {
            long total = 0;
            for (Extent extent : extents) {
                total += extent.length();
            }
            MemorySegment target = out.allocate(total);
            long at = 0;
            for (int i = 0; i < plans.size(); i++) {
                Extent extent = extents.get(i);
                reader.read(plans.get(i), extent.offset(), extent.length(), target, at);
                at += extent.length();
            }
            return total;
        } finally {
            guard.leave(ticket);
        }
    }

    private static void checkRange(ObjectId object, long offset, long length) {
        if (offset < 0 || length < 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "negative range: object=" + object + " offset=" + offset + " length=" + length);
        }
    }

    @Override
    public List<Extent> fiemap(ObjectId object, long offset, long length) {
        checkRange(object, offset, length);
        Onode onode = get(object);
        List<Extent> extents = new ArrayList<>();
        long end = offset > onode.size - length ? onode.size : offset + length;
        if (offset >= end) {
            return extents;
        }
        ChunkValues values = ChunkValues.read(table.metadata(), onode, List.of(new Extent(offset, end - offset)));
        values.forEachRun((first, last) -> {
            long from = Math.max(offset, (long) first * BLOCK);
            long to = Math.min(end, (long) last * BLOCK);
            int before = extents.size() - 1;
            if (before >= 0
                    && extents.get(before).offset() + extents.get(before).length() == from) {
                from = extents.remove(before).offset();
            }
            if (from < to) {
                extents.add(new Extent(from, to - from));
            }
        });
        return extents;
    }

    @Override
    public ByteString attribute(ObjectId object, ByteString name) {
        ByteString value = get(object).attributesView().get(name);
        if (value == null) {
            throw new ObjectStoreException(ErrorCode.ENODATA, "object " + object + " has no attribute " + name);
        }
        return value;
    }

    @Override
    public Map<ByteString, ByteString> attributes(ObjectId object) {
        return new TreeMap<>(get(object).attributesView());
    }

    /** What is read of an object and its omap at one moment. */
    private static OmapCursor cursor(Snapshot snapshot, Onode onode) {
        OmapCursor cursor = new OmapCursor(snapshot, onode.nid);
        cursor.seekToFirst();
        return cursor;
    }

    @Override
    public Omap omap(ObjectId object) {
        Onode onode = get(object);
        TreeMap<ByteString, ByteString> entries = new TreeMap<>();
        if (onode.omapBytes > 0) {
            try (OmapCursor at = cursor(table.metadata().snapshot(), onode)) {
                for (; at.valid(); at.next()) {
                    entries.put(at.key(), at.value());
                }
            }
        }
        return new Omap(onode.omapHeader, entries);
    }

    @Override
    public ByteString omapHeader(ObjectId object) {
        return get(object).omapHeader;
    }

    @Override
    public SortedSet<ByteString> omapKeys(ObjectId object) {
        Onode onode = get(object);
        TreeSet<ByteString> keys = new TreeSet<>();
        if (onode.omapBytes > 0) {
            try (OmapCursor at = cursor(table.metadata().snapshot(), onode)) {
                for (; at.valid(); at.next()) {
                    keys.add(at.key());
                }
            }
        }
        return keys;
    }

    @Override
    public SortedMap<ByteString, ByteString> omapValues(ObjectId object, Set<ByteString> keys) {
        Onode onode = get(object);
        TreeMap<ByteString, ByteString> result = new TreeMap<>();
        if (onode.omapBytes > 0) {
            for (ByteString key : keys) {
                byte[] value = table.metadata().get(Keys.omap(onode.nid, key));
                if (value != null) {
                    result.put(key, ByteString.wrap(value));
                }
            }
        }
        return result;
    }

    @Override
    public SortedSet<ByteString> omapExistingKeys(ObjectId object, Set<ByteString> keys) {
        return new TreeSet<>(omapValues(object, keys).keySet());
    }

    @Override
    public @Nullable OmapIterator omapIterator(ObjectId object) {
        Onode onode = find(object);
        return onode == null ? null : new OmapCursor(table.metadata().snapshot(), onode.nid);
    }

    @Override
    public void flush() {
        // Transactions are applied before queueTransactions returns.
    }

    @Override
    public boolean flushCommit(Runnable whenDurable) {
        lock.lock();
        try {
            return !shard.whenDurable(lastRecord, whenDurable);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setOptions(PoolOptions options) {
        if (options.compressionMode() != null && !options.compressionMode().equals("none")) {
            throw new ObjectStoreException(
                    ErrorCode.EOPNOTSUPP,
                    "compression_mode=" + options.compressionMode() + ": this store does not compress");
        }
    }
}
