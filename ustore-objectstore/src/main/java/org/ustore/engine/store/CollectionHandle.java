package org.ustore.engine.store;

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
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.SortedTable;
import org.ustore.engine.shard.Shard;
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

/** The handle of one collection, and all reads. Metadata is copied under the shard's lock, data read without it. */
final class CollectionHandle implements Collection {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    /** Objects listed before the lock is let go for a moment. */
    private static final int LIST_STEP = 1024;

    private final CollectionId id;
    private final Shard shard;
    private final BlockReader reader;
    private final ReentrantLock lock;
    /** The last record queued on it; under the lock. */
    private long lastRecord;

    CollectionHandle(CollectionId id, Shard shard, BlockReader reader) {
        this.id = id;
        this.shard = shard;
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

    private @Nullable CollectionState state() {
        shard.checkReadable();
        return shard.state().catalog().collection(id);
    }

    private @Nullable Onode find(ObjectId object) {
        CollectionState state = state();
        return state == null ? null : state.objects().get(object);
    }

    private Onode get(ObjectId object) {
        Onode onode = find(object);
        if (onode == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no object " + object + " in " + id);
        }
        return onode;
    }

    /** Applies {@code function} to an existing object, under the lock. */
    private <T> T with(ObjectId object, Function<Onode, T> function) {
        lock.lock();
        try {
            return function.apply(get(object));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int bits() {
        lock.lock();
        try {
            CollectionState state = state();
            return state == null ? 0 : state.bits;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEmpty() {
        lock.lock();
        try {
            CollectionState state = state();
            return state == null || state.objects().size() == 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Listing list(ObjectId start, ObjectId end, int max) {
        if (max < 0) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "list of at most " + max + " objects; limit 0 or more");
        }
        List<ObjectId> objects = new ArrayList<>();
        ObjectId from = start;
        while (true) {
            int want = Math.min(max, objects.size() + LIST_STEP);
            ObjectId next = listInto(objects, from, end, want);
            if (objects.size() < want || want == max) {
                return new Listing(objects, next);
            }
            from = next;
        }
    }

    /** Adds objects until there are {@code want} or no more before {@code end}; returns the one after them. */
    private ObjectId listInto(List<ObjectId> objects, ObjectId from, ObjectId end, int want) {
        lock.lock();
        try {
            CollectionState state = state();
            if (state == null || from.max()) {
                return ObjectId.MAX;
            }
            SortedTable.Cursor<ObjectId, Onode> at = state.objects().cursor();
            for (at.lowerBound(from); at.valid(); at.next()) {
                if (objects.size() >= want || at.key().compareTo(end) >= 0) {
                    return at.key();
                }
                objects.add(at.key());
            }
            return ObjectId.MAX;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean exists(ObjectId object) {
        lock.lock();
        try {
            return find(object) != null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ObjectStat stat(ObjectId object) {
        return with(object, onode -> new ObjectStat(onode.size));
    }

    @Override
    public long read(ObjectId object, long offset, long length, BufferAllocator out) {
        checkRange(object, offset, length);
        ReadGuard guard = shard.state().guard();
        BlockReader.Plan plan;
        long bytes;
        int ticket;
        lock.lock();
        try {
            Onode onode = get(object);
            long wanted = offset == 0 && length == 0 ? onode.size : length;
            bytes = Math.max(0, Math.min(wanted, onode.size - offset));
            plan = reader.plan(object, onode.blocks(), offset, bytes);
            ticket = guard.enter();
        } finally {
            lock.unlock();
        }
        try {
            MemorySegment target = out.allocate(bytes);
            if (bytes > 0) {
                reader.read(plan, offset, bytes, target, 0);
            }
            return bytes;
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
    public long read(ObjectId object, List<Extent> extents, BufferAllocator out) {
        ReadGuard guard = shard.state().guard();
        List<BlockReader.Plan> plans = new ArrayList<>(extents.size());
        long[] bytes = new long[extents.size()];
        long total = 0;
        int ticket;
        lock.lock();
        try {
            Onode onode = get(object);
            for (int i = 0; i < bytes.length; i++) {
                Extent extent = extents.get(i);
                bytes[i] = Math.max(0, Math.min(extent.length(), onode.size - extent.offset()));
                plans.add(reader.plan(object, onode.blocks(), extent.offset(), bytes[i]));
                total += bytes[i];
            }
            ticket = guard.enter();
        } finally {
            lock.unlock();
        }
        try {
            MemorySegment target = out.allocate(total);
            long at = 0;
            for (int i = 0; i < bytes.length; i++) {
                reader.read(plans.get(i), extents.get(i).offset(), bytes[i], target, at);
                at += bytes[i];
            }
            return total;
        } finally {
            guard.leave(ticket);
        }
    }

    @Override
    public List<Extent> fiemap(ObjectId object, long offset, long length) {
        checkRange(object, offset, length);
        return with(object, onode -> {
            List<Extent> extents = new ArrayList<>();
            long end = offset > onode.size - length ? onode.size : offset + length;
            int last = (int) ((end + BLOCK - 1) / BLOCK);
            int i = offset >= end ? last : onode.blocks().nextMapped((int) (offset / BLOCK), last);
            while (i < last) {
                int first = i;
                while (i < last && onode.blocks().block(i) != 0) {
                    i++;
                }
                long from = Math.max(offset, (long) first * BLOCK);
                extents.add(new Extent(from, Math.min(end, (long) i * BLOCK) - from));
                i = onode.blocks().nextMapped(i, last);
            }
            return extents;
        });
    }

    @Override
    public ByteString attribute(ObjectId object, ByteString name) {
        ByteString value = with(
                        object,
                        onode ->
                                java.util.Optional.ofNullable(onode.attributes().get(name)))
                .orElse(null);
        if (value == null) {
            throw new ObjectStoreException(ErrorCode.ENODATA, "object " + object + " has no attribute " + name);
        }
        return value;
    }

    @Override
    public Map<ByteString, ByteString> attributes(ObjectId object) {
        return with(object, onode -> {
            Map<ByteString, ByteString> result = new TreeMap<>();
            onode.attributes().forEach(result::put);
            return result;
        });
    }

    /** A snapshot of an omap that may be read without the lock. */
    private static SortedTable<ByteString, ByteString> omapOf(Onode onode) {
        SortedTable<ByteString, ByteString> table = onode.omapOrNull();
        return table == null ? new SortedTable<>() : table.snapshot();
    }

    private record OmapView(ByteString header, SortedTable<ByteString, ByteString> entries) {}

    @Override
    public Omap omap(ObjectId object) {
        OmapView view = with(object, onode -> new OmapView(onode.omapHeader(), omapOf(onode)));
        TreeMap<ByteString, ByteString> entries = new TreeMap<>();
        view.entries().forEach(entries::put);
        return new Omap(view.header(), entries);
    }

    @Override
    public ByteString omapHeader(ObjectId object) {
        return with(object, Onode::omapHeader);
    }

    @Override
    public SortedSet<ByteString> omapKeys(ObjectId object) {
        TreeSet<ByteString> keys = new TreeSet<>();
        with(object, CollectionHandle::omapOf).forEach((key, _) -> keys.add(key));
        return keys;
    }

    @Override
    public SortedMap<ByteString, ByteString> omapValues(ObjectId object, Set<ByteString> keys) {
        return with(object, onode -> {
            TreeMap<ByteString, ByteString> result = new TreeMap<>();
            SortedTable<ByteString, ByteString> table = onode.omapOrNull();
            if (table != null) {
                for (ByteString key : keys) {
                    ByteString value = table.get(key);
                    if (value != null) {
                        result.put(key, value);
                    }
                }
            }
            return result;
        });
    }

    @Override
    public SortedSet<ByteString> omapExistingKeys(ObjectId object, Set<ByteString> keys) {
        return new TreeSet<>(omapValues(object, keys).keySet());
    }

    @Override
    public @Nullable OmapIterator omapIterator(ObjectId object) {
        lock.lock();
        try {
            Onode onode = find(object);
            return onode == null ? null : new TableOmapIterator(omapOf(onode));
        } finally {
            lock.unlock();
        }
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
