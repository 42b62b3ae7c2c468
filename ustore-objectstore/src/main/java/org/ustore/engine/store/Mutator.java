package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.BlockMap;
import org.ustore.engine.meta.Catalog;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.SortedTable;
import org.ustore.engine.meta.Usage;
import org.ustore.engine.shard.ShardState;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Applies changes to the metadata and keeps usage and reference counts right. Under the shard's lock; selections do not
 * outlive a transaction.
 */
final class Mutator implements Changes {
    private final ShardState state;
    private final Catalog catalog;
    private final boolean replaying;
    private @Nullable CollectionState collection;
    private @Nullable ObjectId object;
    private @Nullable Onode onode;

    /** Changes {@code state}; {@code replaying}: blocks of the log are not allocated yet. */
    Mutator(ShardState state, boolean replaying) {
        this.state = state;
        this.catalog = state.catalog();
        this.replaying = replaying;
    }

    /** Forgets the object selected: a snapshot may have been taken since. */
    void begin() {
        collection = null;
        object = null;
        onode = null;
    }

    /** The object selected, or null if it does not exist. */
    @Nullable Onode selected() {
        return onode;
    }

    /** An existing collection. */
    CollectionState collection(CollectionId id) {
        CollectionState found = catalog.collection(id);
        if (found == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no collection " + id);
        }
        return found;
    }

    private Onode onode() {
        Onode selected = onode;
        if (selected == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no object " + object);
        }
        return selected;
    }

    private ObjectId object() {
        ObjectId selected = object;
        if (selected == null) {
            throw new ObjectStoreException(ErrorCode.EIO, "malformed log record: no object selected");
        }
        return selected;
    }

    private CollectionState collection() {
        CollectionState selected = collection;
        if (selected == null) {
            throw new ObjectStoreException(ErrorCode.EIO, "malformed log record: no collection selected");
        }
        return selected;
    }

    private Usage usage() {
        return catalog.usage(object().logicalPool());
    }

    @Override
    public void select(CollectionId newCollection, ObjectId newObject) {
        CollectionState current = collection;
        if (current != null && current.id().equals(newCollection) && newObject.equals(object)) {
            return;
        }
        current = collection(newCollection);
        collection = current;
        object = newObject;
        onode = current.writable(newObject);
    }

    @Override
    public void create() {
        CollectionState in = collection();
        Onode created = new Onode(in.objects().owner());
        in.objects().put(object(), created);
        onode = created;
        usage().imageBytes += Usage.objectBytes(object());
    }

    @Override
    public void remove() {
        Onode removed = onode();
        Usage usage = usage();
        Usage own = new Usage();
        own.addObject(object(), removed);
        usage.subtract(own);
        dereferenceAll(removed.blocks(), usage);
        collection().objects().remove(object());
        onode = null;
    }

    private void dereferenceAll(BlockMap blocks, Usage usage) {
        int end = blocks.endBlock();
        for (int i = blocks.nextMapped(0, end); i < end; i = blocks.nextMapped(i + 1, end)) {
            dereference(blocks.block(i), usage);
        }
    }

    private void dereference(int block, Usage usage) {
        if (state.dereference(block)) {
            usage.allocatedBlocks--;
        }
    }

    @Override
    public void blocks(
            int first, int[] blocks, int[] checksums, long size, Kind kind, MemorySegment data, long dataOffset) {
        Onode changed = onode();
        Usage usage = usage();
        begin(changed, usage);
        if (kind == Kind.SHARED) {
            // All before the first is dropped: what is replaced may be among them.
            for (int block : blocks) {
                state.reference(block);
            }
        }
        for (int i = 0; i < blocks.length; i++) {
            arrive(blocks[i], kind, data, dataOffset + (long) i * BlockDevice.BLOCK_BYTES, usage);
            int before = changed.blocks().set(first + i, blocks[i], checksums[i]);
            if (before != BlockMap.HOLE) {
                dereference(before, usage);
            }
        }
        changed.size = size;
        end(changed, usage);
    }

    private void arrive(int block, Kind kind, MemorySegment data, long dataOffset, Usage usage) {
        if (kind == Kind.SHARED) {
            return;
        }
        usage.allocatedBlocks++;
        if (replaying) {
            state.markAllocated(block);
        }
        if (kind == Kind.INLINE) {
            state.stage(block, data, dataOffset);
        }
    }

    private static void begin(Onode changed, Usage usage) {
        usage.storedBytes -= changed.storedBytes();
        usage.imageBytes -= (long) changed.blocks().mappedBlocks() * Usage.BLOCK_BYTES;
    }

    private static void end(Onode changed, Usage usage) {
        usage.storedBytes += changed.storedBytes();
        usage.imageBytes += (long) changed.blocks().mappedBlocks() * Usage.BLOCK_BYTES;
    }

    @Override
    public void punch(int first, int count, long size) {
        Onode changed = onode();
        Usage usage = usage();
        begin(changed, usage);
        BlockMap blocks = changed.blocks();
        int end = (int) Math.min((long) first + count, blocks.endBlock());
        for (int i = blocks.nextMapped(first, end); i < end; i = blocks.nextMapped(i + 1, end)) {
            dereference(blocks.set(i, BlockMap.HOLE, 0), usage);
        }
        changed.size = size;
        end(changed, usage);
    }

    @Override
    public void setAttributes(Map<ByteString, ByteString> attributes) {
        Usage usage = usage();
        SortedTable<ByteString, ByteString> table = onode().attributes();
        attributes.forEach((name, value) -> {
            ByteString before = table.put(name, value);
            usage.imageBytes += Usage.entryBytes(name, value) - (before == null ? 0 : Usage.entryBytes(name, before));
        });
    }

    @Override
    public void removeAttribute(ByteString name) {
        ByteString before = onode().attributes().remove(name);
        if (before != null) {
            usage().imageBytes -= Usage.entryBytes(name, before);
        }
    }

    @Override
    public void removeAllAttributes() {
        Usage usage = usage();
        SortedTable<ByteString, ByteString> table = onode().attributes();
        table.forEach((name, value) -> usage.imageBytes -= Usage.entryBytes(name, value));
        table.clear();
    }

    @Override
    public void cloneTo(ObjectId target) {
        CollectionState in = collection();
        Onode copy = onode().copy(in.objects().owner());
        BlockMap blocks = copy.blocks();
        int end = blocks.endBlock();
        for (int i = blocks.nextMapped(0, end); i < end; i = blocks.nextMapped(i + 1, end)) {
            state.reference(blocks.block(i));
        }
        in.objects().put(target, copy);
        catalog.usage(target.logicalPool()).addObject(target, copy);
    }

    @Override
    public void rename(CollectionId targetCollection, ObjectId target) {
        Onode moved = onode();
        CollectionState to = collection(targetCollection);
        collection().objects().remove(object());
        to.objects().put(target, moved);
        Usage own = new Usage();
        own.addObject(object(), moved);
        usage().subtract(own);
        Usage named = new Usage();
        named.addObject(target, moved);
        catalog.usage(target.logicalPool()).add(named);
        begin();
    }

    @Override
    public void omapSet(Map<ByteString, ByteString> entries) {
        Usage usage = usage();
        SortedTable<ByteString, ByteString> table = onode().omap();
        entries.forEach((key, value) -> {
            ByteString before = table.put(key, value);
            if (before != null) {
                usage.removeOmapEntry(key, before);
            }
            usage.addOmapEntry(key, value);
        });
    }

    @Override
    public void omapRemove(Set<ByteString> keys) {
        SortedTable<ByteString, ByteString> table = onode().omapOrNull();
        if (table == null) {
            return;
        }
        Usage usage = usage();
        for (ByteString key : keys) {
            ByteString before = table.remove(key);
            if (before != null) {
                usage.removeOmapEntry(key, before);
            }
        }
    }

    @Override
    public void omapRemoveRange(ByteString first, ByteString last) {
        SortedTable<ByteString, ByteString> table = onode().omapOrNull();
        if (table != null) {
            table.removeRange(first, last, usage()::removeOmapEntry);
        }
    }

    @Override
    public void omapClear() {
        SortedTable<ByteString, ByteString> table = onode().omapOrNull();
        if (table != null) {
            table.forEach(usage()::removeOmapEntry);
            onode().dropOmap();
        }
        omapSetHeader(ByteString.EMPTY);
    }

    @Override
    public void omapSetHeader(ByteString header) {
        Usage usage = usage();
        long change = header.length() - (long) onode().omapHeader().length();
        usage.omapBytes += change;
        usage.imageBytes += change;
        onode().setOmapHeader(header);
    }

    @Override
    public void makeCollection(CollectionId id, int bits) {
        catalog.add(new CollectionState(id, bits));
    }

    @Override
    public void removeCollection(CollectionId id) {
        catalog.remove(id);
        begin();
    }

    @Override
    public void setBits(CollectionId id, int bits) {
        collection(id).bits = bits;
    }

    @Override
    public void split(CollectionId id, CollectionId child, int bits, int seed) {
        CollectionState from = collection(id);
        CollectionState to = collection(child);
        int mask = bits == 32 ? -1 : (1 << bits) - 1;
        List<ObjectId> moving = new ArrayList<>();
        from.objects().forEach((moved, _) -> {
            if ((moved.hash() & mask) == (seed & mask)) {
                moving.add(moved);
            }
        });
        moving.forEach(moved -> move(from, to, moved));
        from.bits = bits;
        to.bits = bits;
        begin();
    }

    private static void move(CollectionState from, CollectionState to, ObjectId moved) {
        Onode found = from.objects().remove(moved);
        if (found != null) {
            to.objects().put(moved, found);
        }
    }

    @Override
    public void merge(CollectionId id, CollectionId target, int bits) {
        CollectionState from = collection(id);
        CollectionState to = collection(target);
        from.objects().forEach(to.objects()::put);
        to.bits = bits;
        catalog.remove(id);
        begin();
    }
}
