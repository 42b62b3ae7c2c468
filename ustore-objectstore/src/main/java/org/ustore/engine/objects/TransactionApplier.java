package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.core.Change;
import org.ustore.engine.core.Shard;
import org.ustore.engine.core.ShardState;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

/**
 * Carries out the operations of transactions on a {@link Workspace}. Under the shard's lock.
 *
 * <p>The bytes of an object's last block past its end are always zeros: whoever shortens an object rewrites that block.
 */
final class TransactionApplier {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int GROUP_BLOCKS = 32;

    private final Shard shard;
    private final ShardState state;
    private final BlockReader reader;
    private final ObjectTable table;
    private final Workspace workspace;
    private final MemorySegment scratch = AlignedBuffers.allocate((long) GROUP_BLOCKS * BLOCK);
    private final MemorySegment copyBuffer = AlignedBuffers.allocate((long) GROUP_BLOCKS * BLOCK);

    TransactionApplier(Shard shard, ObjectTable table, BlockReader reader) {
        this.shard = shard;
        this.state = shard.state();
        this.table = table;
        this.reader = reader;
        this.workspace = new Workspace(table);
    }

    /** Applies all operations and notes them in {@code change}; {@code redirects} has an entry for each. */
    void apply(Change change, List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        workspace.begin(change);
        int i = 0;
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                apply(operation, redirects.get(i++));
            }
        }
        workspace.flush();
    }

    private void apply(Operation operation, @Nullable Redirect redirect) {
        switch (operation) {
            case Operation.Touch o -> {
                Onode _ = writableOrNew(o.collection(), o.object());
            }
            case Operation.Write o -> write(o, redirect);
            case Operation.Zero o -> zero(o);
            case Operation.Truncate o -> truncate(o);
            case Operation.Remove o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    remove(o.object(), onode);
                }
            }
            case Operation.SetAttributes o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    onode.attributes().putAll(o.attributes());
                }
            }
            case Operation.RemoveAttribute o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    onode.attributes().remove(o.name());
                }
            }
            case Operation.RemoveAllAttributes o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    onode.attributes().clear();
                }
            }
            case Operation.Clone o -> cloneObject(o);
            case Operation.CloneRange o -> cloneRange(o);
            case Operation.Rename o -> rename(o);
            case Operation.SetAllocationHint o -> {
                int _ = table.bits(o.collection());
            }
            default -> applyToOmapOrCollection(operation);
        }
    }

    private void applyToOmapOrCollection(Operation operation) {
        switch (operation) {
            case Operation.OmapClear o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    workspace.omapClear(onode, workspace.usage(o.object()));
                    setOmapHeader(o.object(), onode, ByteString.EMPTY);
                }
            }
            case Operation.OmapSetKeys o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    Usage usage = workspace.usage(o.object());
                    o.entries().forEach((key, value) -> workspace.omapSet(onode, usage, key, value));
                }
            }
            case Operation.OmapRemoveKeys o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    Usage usage = workspace.usage(o.object());
                    o.keys().forEach(key -> workspace.omapRemove(onode, usage, key));
                }
            }
            case Operation.OmapRemoveKeyRange o -> {
                if (find(o.collection(), o.object()) != null) {
                    workspace.omapRemoveRange(o.object(), o.first(), o.last());
                }
            }
            case Operation.OmapSetHeader o -> {
                Onode onode = writable(o.collection(), o.object());
                if (onode != null) {
                    setOmapHeader(o.object(), onode, o.header());
                }
            }
            case Operation.MakeCollection o -> makeCollection(o);
            case Operation.RemoveCollection o -> removeCollection(o.collection());
            case Operation.SetCollectionBits o -> {
                int _ = table.bits(o.collection());
                checkBits(o.collection(), o.bits());
                workspace.putCollection(o.collection(), o.bits());
            }
            case Operation.SplitCollection o -> split(o);
            case Operation.MergeCollection o -> merge(o);
            default -> throw new ObjectStoreException(ErrorCode.EOPNOTSUPP, "unknown operation " + operation);
        }
    }

    // ---- objects ----

    /** Whether an object can be in a collection, which exists. */
    private boolean belongs(CollectionId collection, ObjectId object) {
        return CollectionRange.contains(collection, table.bits(collection), object);
    }

    private void checkBelongs(CollectionId collection, ObjectId object) {
        if (!belongs(collection, object)) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "object " + object + " does not belong to collection " + collection + " of "
                            + table.bits(collection) + " bits");
        }
    }

    /** The object, not to be changed, or null. */
    private @Nullable Onode find(CollectionId collection, ObjectId object) {
        return belongs(collection, object) ? workspace.find(object) : null;
    }

    /** The object, to be changed, or null. */
    private @Nullable Onode writable(CollectionId collection, ObjectId object) {
        return belongs(collection, object) ? workspace.writable(object) : null;
    }

    private Onode writableOrNew(CollectionId collection, ObjectId object) {
        checkBelongs(collection, object);
        Onode onode = workspace.writable(object);
        if (onode == null) {
            onode = new Onode(workspace.newNid());
            workspace.put(object, onode);
        }
        return onode;
    }

    /** Removes an object with all it has. */
    private void remove(ObjectId object, Onode onode) {
        Usage usage = workspace.usage(object);
        usage.storedBytes -= workspace.storedBytes(onode);
        int end = onode.sizeBlocks();
        for (int i = workspace.nextMapped(onode, 0, end); i < end; i = workspace.nextMapped(onode, i + 1, end)) {
            workspace.dereference(workspace.set(onode, i, Chunk.HOLE, 0), usage);
        }
        workspace.omapClear(onode, usage);
        setOmapHeader(object, onode, ByteString.EMPTY);
        workspace.put(object, null);
    }

    private void setOmapHeader(ObjectId object, Onode onode, ByteString header) {
        workspace.usage(object).omapBytes += header.length() - (long) onode.omapHeader.length();
        onode.omapHeader = header;
    }

    private static void checkSize(ObjectId object, long offset, long length) {
        if (offset < 0 || length < 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "negative range: object=" + object + " offset=" + offset + " length=" + length);
        }
        if (offset > ObjectStore.MAX_OBJECT_BYTES - length) {
            throw new ObjectStoreException(
                    ErrorCode.E2BIG,
                    "object=" + object + " would have " + offset + "+" + length + " bytes; limit="
                            + ObjectStore.MAX_OBJECT_BYTES);
        }
    }

    // ---- data ----

    private void write(Operation.Write o, @Nullable Redirect redirect) {
        long length = o.data().sizeBytes();
        checkSize(o.object(), o.offset(), length);
        Onode onode = writableOrNew(o.collection(), o.object());
        if (length == 0) {
            return;
        }
        int first = (int) (o.offset() / BLOCK);
        int end = (int) ((o.offset() + length - 1) / BLOCK) + 1;
        if (redirect == null) {
            writeBlocks(onode, o, first, end);
            return;
        }
        writeBlocks(onode, o, first, redirect.first);
        workspace.change().redirected(redirect.blocks, redirect.checksums);
        Usage usage = workspace.usage(o.object());
        usage.allocatedBlocks += redirect.blocks.length;
        putBlocks(
                onode,
                usage,
                redirect.first,
                redirect.blocks,
                redirect.checksums,
                Math.max(onode.size, o.offset() + length));
        writeBlocks(onode, o, redirect.end(), end);
    }

    /** Writes the part of {@code o} that falls into the blocks from {@code first} up to {@code end}. */
    private void writeBlocks(Onode onode, Operation.Write o, int first, int end) {
        writeBlocks(onode, o.object(), o.offset(), o.data().sizeBytes(), o.data(), first, end);
    }

    private void writeBlocks(Onode onode, ObjectId object, long offset, long length, Payload data, int first, int end) {
        long size = Math.max(onode.size, offset + length);
        for (int from = first; from < end; from += GROUP_BLOCKS) {
            int count = Math.min(GROUP_BLOCKS, end - from);
            for (int b = 0; b < count; b++) {
                long start = (long) (from + b) * BLOCK;
                long writeFrom = Math.max(start, offset);
                long writeEnd = Math.min(start + BLOCK, offset + length);
                prepareBlock(onode, object, from + b, writeFrom, writeEnd, (long) b * BLOCK);
                data.copyTo(writeFrom - offset, scratch, (long) b * BLOCK + writeFrom - start, writeEnd - writeFrom);
            }
            putScratch(onode, object, from, count, size);
        }
    }

    /** Puts into scratch what a block holds outside the range about to be written, or zeros. */
    private void prepareBlock(
            Onode onode, ObjectId object, int index, long writeFrom, long writeEnd, long scratchOffset) {
        long start = (long) index * BLOCK;
        long liveEnd = Math.min(start + BLOCK, onode.size);
        boolean needed = (writeFrom > start && start < liveEnd) || writeEnd < liveEnd;
        if (needed && workspace.block(onode, index) != Chunk.HOLE) {
            reader.read(
                    reader.plan(object, workspace.source(onode), start, BLOCK), start, BLOCK, scratch, scratchOffset);
        } else if (writeEnd - writeFrom < BLOCK) {
            scratch.asSlice(scratchOffset, BLOCK).fill((byte) 0);
        }
    }

    /** Makes the blocks in scratch those of an object from block {@code first} on. */
    private void putScratch(Onode onode, ObjectId object, int first, int count, long size) {
        Change change = workspace.change();
        int[] blocks = change.allocate(count);
        int[] checksums = new int[count];
        for (int b = 0; b < count; b++) {
            checksums[b] = Checksum.of(scratch, (long) b * BLOCK, BLOCK);
        }
        if (change.recordBytes() + (long) count * BLOCK <= shard.maxInlineBytes()) {
            change.inline(blocks, scratch, 0);
        } else {
            // The record is full: many partial blocks in one transaction. Slow, but nothing has to be unbounded.
            for (int b = 0; b < count; b++) {
                state.device().write(scratch.asSlice((long) b * BLOCK, BLOCK).asByteBuffer(), (long) blocks[b] * BLOCK);
            }
            change.redirected(blocks, checksums);
        }
        Usage usage = workspace.usage(object);
        usage.allocatedBlocks += count;
        putBlocks(onode, usage, first, blocks, checksums, size);
    }

    /** Puts blocks, each with a reference, in place of those there and sets the size. */
    private void putBlocks(Onode onode, Usage usage, int first, int[] blocks, int[] checksums, long size) {
        usage.storedBytes -= workspace.storedBytes(onode);
        for (int i = 0; i < blocks.length; i++) {
            int before = workspace.set(onode, first + i, blocks[i], checksums[i]);
            if (before != Chunk.HOLE) {
                workspace.dereference(before, usage);
            }
        }
        onode.size = size;
        usage.storedBytes += workspace.storedBytes(onode);
    }

    /** Makes holes of the blocks from {@code first} up to {@code end} and sets the size. */
    private void punch(ObjectId object, Onode onode, int first, int end, long size) {
        Usage usage = workspace.usage(object);
        usage.storedBytes -= workspace.storedBytes(onode);
        int last = Math.min(end, onode.sizeBlocks());
        for (int i = workspace.nextMapped(onode, first, last); i < last; i = workspace.nextMapped(onode, i + 1, last)) {
            workspace.dereference(workspace.set(onode, i, Chunk.HOLE, 0), usage);
        }
        onode.size = size;
        usage.storedBytes += workspace.storedBytes(onode);
    }

    private void zero(Operation.Zero o) {
        checkSize(o.object(), o.offset(), o.length());
        Onode onode = writableOrNew(o.collection(), o.object());
        if (o.length() == 0) {
            return;
        }
        long end = o.offset() + o.length();
        long size = Math.max(onode.size, end);
        int first = (int) (o.offset() / BLOCK);
        int last = (int) ((end - 1) / BLOCK);
        boolean headLives = o.offset() > (long) first * BLOCK;
        boolean tailLives = end < Math.min((last + 1L) * BLOCK, onode.size);
        if (headLives) {
            zeroWithin(onode, o.object(), first, o.offset(), end, size);
        }
        if (tailLives && !(headLives && first == last)) {
            zeroWithin(onode, o.object(), last, o.offset(), end, size);
        }
        punch(o.object(), onode, headLives ? first + 1 : first, tailLives ? last : last + 1, size);
    }

    /** Zeros the part of one block that lies in the range. */
    private void zeroWithin(Onode onode, ObjectId object, int index, long from, long end, long size) {
        if (workspace.block(onode, index) == Chunk.HOLE) {
            return;
        }
        long start = (long) index * BLOCK;
        reader.read(reader.plan(object, workspace.source(onode), start, BLOCK), start, BLOCK, scratch, 0);
        long zeroFrom = Math.max(0, from - start);
        long zeroEnd = Math.min(BLOCK, end - start);
        scratch.asSlice(zeroFrom, zeroEnd - zeroFrom).fill((byte) 0);
        putScratch(onode, object, index, 1, size);
    }

    private void truncate(Operation.Truncate o) {
        checkSize(o.object(), o.size(), 0);
        Onode onode = writable(o.collection(), o.object());
        if (onode == null) {
            return;
        }
        long size = o.size();
        int end = onode.sizeBlocks();
        int keep = (int) ((size + BLOCK - 1) / BLOCK);
        if (size < onode.size && size % BLOCK != 0) {
            zeroWithin(onode, o.object(), keep - 1, size, (long) keep * BLOCK, onode.size);
        }
        punch(o.object(), onode, keep, end, size);
    }

    // ---- clones ----

    private void cloneObject(Operation.Clone o) {
        Onode source = find(o.collection(), o.source());
        if (source == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "clone of missing object " + o.source());
        }
        if (o.source().hash() != o.target().hash()) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "clone of " + o.source() + " to " + o.target() + ", whose hash differs");
        }
        if (o.source().equals(o.target())) {
            return;
        }
        checkBelongs(o.collection(), o.target());
        workspace.flushOmap(source);
        Onode replaced = workspace.writable(o.target());
        if (replaced != null) {
            remove(o.target(), replaced);
        }
        Onode target = source.copy(workspace.newNid());
        // The blocks come below, one by one.
        target.mappedBlocks = 0;
        target.size = 0;
        workspace.put(o.target(), target);
        workspace.omapCopy(source, target);
        Usage usage = workspace.usage(o.target());
        usage.omapBytes += target.omapBytes + target.omapHeader.length();
        shareBlocks(source, target, o.target(), 0, source.sizeBlocks(), 0, source.size);
    }

    private void cloneRange(Operation.CloneRange o) {
        Onode source = find(o.collection(), o.source());
        if (source == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "clone range of missing object " + o.source());
        }
        long length = Math.min(o.length(), source.size - o.offset());
        checkSize(o.target(), o.targetOffset(), Math.max(0, length));
        Onode target = writableOrNew(o.collection(), o.target());
        if (length <= 0) {
            return;
        }
        boolean same = o.source().equals(o.target());
        if (!same && (o.offset() - o.targetOffset()) % BLOCK == 0) {
            shareRange(source, target, o, length);
        } else {
            copyRange(same ? target : source, target, o, length);
        }
    }

    private void copyRange(Onode source, Onode target, Operation.CloneRange o, long length) {
        for (long done = 0; done < length; done += copyBuffer.byteSize()) {
            long n = Math.min(copyBuffer.byteSize(), length - done);
            copyBytes(source, target, o, o.targetOffset() + done, n);
        }
    }

    /** Copies {@code n} bytes, at most what the buffer holds, to {@code to} of the target. */
    private void copyBytes(Onode source, Onode target, Operation.CloneRange o, long to, long n) {
        long from = to - o.targetOffset() + o.offset();
        reader.read(reader.plan(o.source(), workspace.source(source), from, n), from, n, copyBuffer, 0);
        Payload data = Payload.of(List.of(copyBuffer.asSlice(0, n)));
        writeBlocks(target, o.target(), to, n, data, (int) (to / BLOCK), (int) ((to + n - 1) / BLOCK) + 1);
    }

    /** Lets the target refer to the source's blocks where whole blocks are cloned, and copies what is left at the ends. */
    private void shareRange(Onode source, Onode target, Operation.CloneRange o, long length) {
        long start = o.targetOffset();
        long end = start + length;
        int shift = (int) ((o.offset() - start) / BLOCK);
        int first = (int) ((start + BLOCK - 1) / BLOCK);
        // Past the source's end its last block holds zeros, as the target's may from its own end on.
        boolean tailIsWhole = o.offset() + length == source.size && end >= target.size;
        int last = (int) (tailIsWhole ? (end + BLOCK - 1) / BLOCK : end / BLOCK);
        if (first > last || (first == last && start % BLOCK != 0)) {
            copyRange(source, target, o, length);
            return;
        }
        if (start % BLOCK != 0) {
            copyBytes(source, target, o, start, (long) first * BLOCK - start);
        }
        shareBlocks(source, target, o.target(), first, last, shift, Math.max(target.size, end));
        if ((long) last * BLOCK < end) {
            copyBytes(source, target, o, (long) last * BLOCK, end - (long) last * BLOCK);
        }
    }

    /** Makes the target's blocks from {@code first} up to {@code last} those of the source {@code shift} further on. */
    private void shareBlocks(
            Onode source, Onode target, ObjectId targetName, int first, int last, int shift, long size) {
        int i = first;
        while (i < last) {
            int mapped = workspace.nextMapped(source, i + shift, last + shift) - shift;
            if (mapped > i) {
                punch(targetName, target, i, mapped, Math.max(target.size, Math.min(size, (long) mapped * BLOCK)));
            }
            int stop = mapped;
            while (stop < last && workspace.block(source, stop + shift) != Chunk.HOLE) {
                stop++;
            }
            if (stop > mapped) {
                long reached = Math.max(target.size, Math.min(size, (long) stop * BLOCK));
                shareRun(source, target, targetName, mapped, stop, shift, reached);
            }
            i = stop;
        }
        punch(targetName, target, 0, 0, size);
    }

    private void shareRun(Onode source, Onode target, ObjectId targetName, int from, int to, int shift, long size) {
        int[] blocks = new int[to - from];
        int[] checksums = new int[to - from];
        for (int i = from; i < to; i++) {
            blocks[i - from] = workspace.block(source, i + shift);
            checksums[i - from] = workspace.checksum(source, i + shift);
        }
        // Before the first is dropped: what is replaced may be among them.
        workspace.change().reference(blocks);
        putBlocks(target, workspace.usage(targetName), from, blocks, checksums, size);
    }

    private void rename(Operation.Rename o) {
        Onode onode = writable(o.collection(), o.source());
        int _ = table.bits(o.targetCollection());
        if (onode == null) {
            return;
        }
        checkBelongs(o.targetCollection(), o.target());
        if (workspace.find(o.target()) != null) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST, "rename of " + o.source() + " to " + o.target() + ", which exists");
        }
        workspace.put(o.source(), null);
        workspace.put(o.target(), onode);
        if (o.source().logicalPool() != o.target().logicalPool()) {
            moveUsage(onode, workspace.usage(o.source()), workspace.usage(o.target()));
        }
    }

    private void moveUsage(Onode onode, Usage from, Usage to) {
        long stored = workspace.storedBytes(onode);
        long omap = onode.omapBytes + onode.omapHeader.length();
        long blocks = 0;
        int end = onode.sizeBlocks();
        for (int i = workspace.nextMapped(onode, 0, end); i < end; i = workspace.nextMapped(onode, i + 1, end)) {
            if (state.references(workspace.block(onode, i)) == 1) {
                blocks++;
            }
        }
        from.storedBytes -= stored;
        from.omapBytes -= omap;
        from.allocatedBlocks -= blocks;
        to.storedBytes += stored;
        to.omapBytes += omap;
        to.allocatedBlocks += blocks;
    }

    // ---- collections ----

    private static void checkBits(CollectionId id, int bits) {
        if (bits < 0 || bits > 32) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection " + id + ": bits=" + bits + ", limit 0 to 32");
        }
    }

    private static void checkOther(CollectionId one, CollectionId other) {
        if (one.equals(other)) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection " + one + " is named as its own target");
        }
    }

    private void makeCollection(Operation.MakeCollection o) {
        checkBits(o.collection(), o.bits());
        if (table.collections().containsKey(o.collection())) {
            throw new ObjectStoreException(ErrorCode.EEXIST, "collection " + o.collection() + " exists");
        }
        CollectionId.Type type = o.collection().type();
        if (type != CollectionId.Type.META && type != CollectionId.Type.PG) {
            throw new ObjectStoreException(
                    ErrorCode.EOPNOTSUPP, "collection " + o.collection() + " is of a kind only old releases have");
        }
        workspace.putCollection(o.collection(), o.bits());
    }

    private void removeCollection(CollectionId id) {
        if (!workspace.isEmpty(id, table.bits(id))) {
            throw new ObjectStoreException(ErrorCode.ENOTEMPTY, "collection " + id + " holds objects");
        }
        workspace.removeCollection(id);
    }

    /** The objects are in the child's range already; only the bits have to say so. */
    private void split(Operation.SplitCollection o) {
        checkBits(o.collection(), o.bits());
        int _ = table.bits(o.collection());
        int _ = table.bits(o.child());
        checkOther(o.collection(), o.child());
        checkKin(o.collection(), o.child());
        int mask = o.bits() == 32 ? -1 : (1 << o.bits()) - 1;
        if (((o.child().seed() ^ o.seed()) & mask) != 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "split of " + o.collection() + " to " + o.child() + " with another seed: "
                            + Integer.toHexString(o.seed()));
        }
        workspace.putCollection(o.collection(), o.bits());
        workspace.putCollection(o.child(), o.bits());
    }

    private static void checkKin(CollectionId one, CollectionId other) {
        if (one.type() != other.type() || one.pool() != other.pool() || one.shard() != other.shard()) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collections " + one + " and " + other + " of two pools");
        }
    }

    /** The objects are in the target's range once it has so few bits. */
    private void merge(Operation.MergeCollection o) {
        checkBits(o.collection(), o.bits());
        int fromBits = table.bits(o.collection());
        int _ = table.bits(o.target());
        checkOther(o.collection(), o.target());
        checkKin(o.collection(), o.target());
        int mask = o.bits() == 32 ? -1 : (1 << o.bits()) - 1;
        if (o.bits() > fromBits || ((o.collection().seed() ^ o.target().seed()) & mask) != 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "merge of " + o.collection() + " of " + fromBits + " bits into " + o.target() + " of " + o.bits()
                            + " bits, which would not hold its objects");
        }
        workspace.removeCollection(o.collection());
        workspace.putCollection(o.target(), o.bits());
    }
}
