package org.ustore.engine.objects;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.core.Change;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/**
 * The objects that transactions under way have changed, until {@link #flush} writes them to the metadata and the log in one
 * batch. Whoever needs to see a part of the metadata that is not kept here as it has become flushes first. Under the
 * shard's lock.
 */
final class Workspace {
    /** Nids are taken out of this many at a time, so that not every new object changes the key of the next one. */
    private static final long NIDS_AT_A_TIME = 1024;

    private static final int ABSENT = -1;

    private final ObjectTable table;
    private final MetadataStore metadata;
    private final WriteBatch batch = new WriteBatch();
    private final Map<ObjectId, Entry> objects = new HashMap<>();
    private final Map<ChunkId, Chunk> chunks = new HashMap<>();
    /** Length of the value of omap keys changed since the last flush, or {@link #ABSENT}. */
    private final Map<OmapId, Integer> omapLengths = new HashMap<>();
    /** Objects whose omap has changed since the last flush. */
    private final Set<Long> changedOmaps = new HashSet<>();

    /** Objects whose omap has been cleared since the last flush: what the metadata holds of it counts no more. */
    private final Set<Long> clearedOmaps = new HashSet<>();

    private final Set<Long> changedPools = new HashSet<>();
    private @Nullable Change change;
    private long nextNid;
    private long nidLimit;

    private record ChunkId(long nid, int number) {}

    private record OmapId(long nid, ByteString key) {}

    /** What an object is at this point of the transaction. */
    private static final class Entry {
        @Nullable Onode onode;
        /** Whether the onode is the workspace's own. */
        boolean writable;

        boolean changed;
    }

    Workspace(ObjectTable table) {
        this.table = table;
        this.metadata = table.metadata();
        this.nextNid = table.nextNid();
        this.nidLimit = nextNid;
    }

    /** Begins with nothing changed; all changes are noted in {@code newChange}. */
    void begin(Change newChange) {
        change = newChange;
        batch.clear();
        objects.clear();
        chunks.clear();
        omapLengths.clear();
        changedOmaps.clear();
        clearedOmaps.clear();
        changedPools.clear();
    }

    Change change() {
        return Objects.requireNonNull(change, "a transaction is under way");
    }

    // ---- objects ----

    private Entry entry(ObjectId object) {
        Entry entry = objects.get(object);
        if (entry == null) {
            entry = new Entry();
            entry.onode = table.find(object);
            objects.put(object, entry);
        }
        return entry;
    }

    /** The object, not to be changed, or null. */
    @Nullable Onode find(ObjectId object) {
        return entry(object).onode;
    }

    /** The object, to be changed, or null. */
    @Nullable Onode writable(ObjectId object) {
        Entry entry = entry(object);
        Onode onode = entry.onode;
        if (onode != null && !entry.writable) {
            onode = onode.copy(onode.nid);
            entry.onode = onode;
            entry.writable = true;
        }
        entry.changed |= onode != null;
        return onode;
    }

    /** Puts an object of the workspace's own in the place of the one of that name; null removes. */
    void put(ObjectId object, @Nullable Onode onode) {
        Entry entry = entry(object);
        entry.onode = onode;
        entry.writable = true;
        entry.changed = true;
    }

    long newNid() {
        if (nextNid == nidLimit) {
            nidLimit += NIDS_AT_A_TIME;
            byte[] value = new byte[Long.BYTES];
            Keys.putLong(value, 0, nidLimit);
            batch.put(Keys.NEXT_NID, value);
        }
        return nextNid++;
    }

    Usage usage(ObjectId object) {
        return usage(object.logicalPool());
    }

    /** A pool's usage, to be changed. */
    Usage usage(long pool) {
        changedPools.add(pool);
        return table.usage().computeIfAbsent(pool, _ -> new Usage());
    }

    // ---- blocks ----

    private Chunk chunk(Onode onode, int index) {
        int number = index >>> Chunk.SHIFT;
        ChunkId id = new ChunkId(onode.nid, number);
        Chunk chunk = chunks.get(id);
        if (chunk == null) {
            chunk = new Chunk(metadata, onode.nid, number);
            chunks.put(id, chunk);
        }
        return chunk;
    }

    /** Device block of an object's block, or {@link Chunk#HOLE}. */
    int block(Onode onode, int index) {
        return onode.mappedBlocks == 0 ? Chunk.HOLE : chunk(onode, index).block(index & (Chunk.BLOCKS - 1));
    }

    /** Checksum of an object's block, which is no hole. */
    int checksum(Onode onode, int index) {
        return chunk(onode, index).checksum(index & (Chunk.BLOCKS - 1));
    }

    /** First block at or after {@code from} that is no hole, or {@code to}. */
    int nextMapped(Onode onode, int from, int to) {
        int i = onode.mappedBlocks == 0 ? to : from;
        while (i < to) {
            int start = i & ~(Chunk.BLOCKS - 1);
            int end = Math.min(to - start, Chunk.BLOCKS);
            int found = chunk(onode, i).nextMapped(i - start, end);
            if (found < end) {
                return start + found;
            }
            i = start + Chunk.BLOCKS;
        }
        return to;
    }

    /** Sets the place of a block and returns the one it had. */
    int set(Onode onode, int index, int block, int checksum) {
        int before = chunk(onode, index).set(index & (Chunk.BLOCKS - 1), block, checksum);
        onode.mappedBlocks += (block == Chunk.HOLE ? 0 : 1) - (before == Chunk.HOLE ? 0 : 1);
        return before;
    }

    /** Drops a reference to a block of an object whose usage is {@code usage}. */
    void dereference(int block, Usage usage) {
        if (change().dereference(block)) {
            usage.allocatedBlocks--;
        }
    }

    /** Bytes within the object's end that are not holes. */
    long storedBytes(Onode onode) {
        long bytes = (long) onode.mappedBlocks * BlockDevice.BLOCK_BYTES;
        int tail = (int) (onode.size % BlockDevice.BLOCK_BYTES);
        boolean partialTail = tail != 0 && block(onode, onode.sizeBlocks() - 1) != Chunk.HOLE;
        return partialTail ? bytes - (BlockDevice.BLOCK_BYTES - tail) : bytes;
    }

    /** Where an object's blocks are, for a reader. */
    BlockReader.Source source(Onode onode) {
        return (first, places, checksums) -> {
            for (int i = 0; i < places.length; i++) {
                places[i] = block(onode, first + i);
                if (places[i] != Chunk.HOLE) {
                    checksums[i] = checksum(onode, first + i);
                }
            }
        };
    }

    // ---- omap ----

    private int omapLength(Onode onode, ByteString key) {
        Integer known = omapLengths.get(new OmapId(onode.nid, key));
        if (known != null) {
            return known;
        }
        if (onode.omapBytes == 0 || clearedOmaps.contains(onode.nid)) {
            return ABSENT;
        }
        byte[] value = metadata.get(Keys.omap(onode.nid, key));
        return value == null ? ABSENT : value.length;
    }

    private void noteOmap(Onode onode, ByteString key, int length) {
        omapLengths.put(new OmapId(onode.nid, key), length);
        changedOmaps.add(onode.nid);
    }

    private static void addOmapBytes(Onode onode, Usage usage, long bytes) {
        onode.omapBytes += bytes;
        usage.omapBytes += bytes;
    }

    void omapSet(Onode onode, Usage usage, ByteString key, ByteString value) {
        int before = omapLength(onode, key);
        batch.put(Keys.omap(onode.nid, key), value.toByteArray());
        addOmapBytes(onode, usage, value.length() - (before == ABSENT ? -entryBytes(key) : before));
        noteOmap(onode, key, value.length());
    }

    void omapRemove(Onode onode, Usage usage, ByteString key) {
        int before = omapLength(onode, key);
        if (before != ABSENT) {
            batch.delete(Keys.omap(onode.nid, key));
            addOmapBytes(onode, usage, -before - entryBytes(key));
            noteOmap(onode, key, ABSENT);
        }
    }

    /** What a key counts besides its value; never nothing, so that no entries means no bytes. */
    static long entryBytes(ByteString key) {
        return key.length() + 1L;
    }

    /**
     * Removes the entries from {@code first} up to and without {@code last}; costs what it removes. It flushes, and what
     * was to be changed before must be asked for again.
     */
    void omapRemoveRange(ObjectId object, ByteString first, ByteString last) {
        Onode seen = find(object);
        if (seen == null || seen.omapBytes == 0 || first.compareTo(last) >= 0) {
            return;
        }
        flushOmap(seen);
        Onode onode = Objects.requireNonNull(writable(object));
        byte[] from = Keys.omap(onode.nid, first);
        byte[] to = Keys.omap(onode.nid, last);
        long bytes = 0;
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            for (at.seek(from); at.valid() && at.compareKey(to) < 0; at.next()) {
                bytes += at.key().length - Keys.OMAP_PREFIX_BYTES + 1L + at.value().length;
            }
        }
        if (bytes > 0) {
            batch.deleteRange(from, to);
            addOmapBytes(onode, usage(object), -bytes);
            changedOmaps.add(onode.nid);
            flushOmap(onode);
        }
    }

    /** Removes all entries. */
    void omapClear(Onode onode, Usage usage) {
        if (onode.omapBytes == 0) {
            return;
        }
        batch.deleteRange(Keys.omapStart(onode.nid), Keys.omapEnd(onode.nid));
        addOmapBytes(onode, usage, -onode.omapBytes);
        omapLengths.keySet().removeIf(id -> id.nid() == onode.nid);
        changedOmaps.add(onode.nid);
        clearedOmaps.add(onode.nid);
    }

    /** Copies all entries, of which {@code target} has none; {@link #flushOmap} has been called for the source. */
    void omapCopy(Onode source, Onode target) {
        if (source.omapBytes == 0) {
            return;
        }
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            byte[] end = Keys.omapEnd(source.nid);
            for (at.seek(Keys.omapStart(source.nid)); at.valid() && at.compareKey(end) < 0; at.next()) {
                byte[] key = at.key();
                Keys.putLong(key, 1, target.nid);
                batch.put(key, at.value());
            }
        }
        changedOmaps.add(target.nid);
    }

    /** Flushes if the object's omap in the metadata is not what it has become. */
    void flushOmap(Onode onode) {
        if (changedOmaps.contains(onode.nid)) {
            flush();
        }
    }

    // ---- collections ----

    void putCollection(CollectionId id, int bits) {
        table.collections().put(id, bits);
        batch.put(Keys.collection(id), new byte[] {(byte) bits});
    }

    void removeCollection(CollectionId id) {
        table.collections().remove(id);
        batch.delete(Keys.collection(id));
    }

    /** Whether a collection of so many bits would hold no object. */
    boolean isEmpty(CollectionId id, int bits) {
        flush();
        return table.isEmpty(id, bits);
    }

    // ---- flush ----

    /** Writes all that has changed; nothing if nothing has. */
    void flush() {
        chunks.values().forEach(chunk -> chunk.save(batch));
        objects.forEach((object, entry) -> {
            if (entry.changed) {
                Onode onode = entry.onode;
                if (onode == null) {
                    batch.delete(Keys.object(object));
                } else {
                    batch.put(Keys.object(object), onode.encode());
                }
            }
        });
        for (long pool : changedPools) {
            Usage usage = table.usage().get(pool);
            if (usage != null && !usage.isZero()) {
                batch.put(Keys.usage(pool), usage.encode());
            } else {
                batch.delete(Keys.usage(pool));
            }
        }
        if (batch.isEmpty()) {
            return;
        }
        change().apply(batch);
        batch.clear();
        omapLengths.clear();
        changedOmaps.clear();
        clearedOmaps.clear();
        changedPools.clear();
        objects.forEach(this::publish);
        change().published();
    }

    private void publish(ObjectId object, Entry entry) {
        if (entry.changed) {
            Onode onode = entry.onode;
            if (onode == null) {
                table.cache().remove(object);
            } else {
                table.cache().put(object, onode);
            }
            entry.changed = false;
            entry.writable = false;
        }
    }
}
