package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.meta.BlockMap;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.shard.Shard;
import org.ustore.engine.shard.ShardState;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

/**
 * Resolves operations into changes, applies them and writes them to the log record. Under the shard's lock.
 *
 * <p>The bytes of an object's last block past its end are always zeros: whoever shortens an object rewrites that block.
 */
final class TransactionApplier {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int GROUP_BLOCKS = 32;

    private final Shard shard;
    private final ShardState state;
    private final BlockReader reader;
    private final Mutator mutator;
    private final MemorySegment scratch = AlignedBuffers.allocate((long) GROUP_BLOCKS * BLOCK);
    private final MemorySegment copyBuffer = AlignedBuffers.allocate((long) GROUP_BLOCKS * BLOCK);
    private LogRecord record;

    TransactionApplier(Shard shard, BlockReader reader) {
        this.shard = shard;
        this.state = shard.state();
        this.reader = reader;
        this.mutator = new Mutator(state, false);
        this.record = new LogRecord(new org.ustore.engine.meta.ByteWriter(1));
    }

    /** Applies all operations into {@code newRecord}; {@code redirects} has an entry for each. */
    void apply(LogRecord newRecord, List<Transaction> transactions, List<@Nullable Redirect> redirects) {
        record = newRecord;
        mutator.begin();
        int i = 0;
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                apply(operation, redirects.get(i++));
            }
        }
    }

    private void apply(Operation operation, @Nullable Redirect redirect) {
        switch (operation) {
            case Operation.Touch o -> selectOrCreate(o.collection(), o.object());
            case Operation.Write o -> write(o, redirect);
            case Operation.Zero o -> zero(o);
            case Operation.Truncate o -> truncate(o);
            case Operation.Remove o -> {
                if (select(o.collection(), o.object())) {
                    remove();
                }
            }
            case Operation.SetAttributes o -> {
                if (select(o.collection(), o.object())) {
                    record.setAttributes(o.attributes());
                    mutator.setAttributes(o.attributes());
                }
            }
            case Operation.RemoveAttribute o -> {
                if (select(o.collection(), o.object())) {
                    record.removeAttribute(o.name());
                    mutator.removeAttribute(o.name());
                }
            }
            case Operation.RemoveAllAttributes o -> {
                if (select(o.collection(), o.object())) {
                    record.removeAllAttributes();
                    mutator.removeAllAttributes();
                }
            }
            case Operation.Clone o -> cloneObject(o);
            case Operation.CloneRange o -> cloneRange(o);
            case Operation.Rename o -> rename(o);
            case Operation.SetAllocationHint o -> mutator.collection(o.collection());
            default -> applyToOmapOrCollection(operation);
        }
    }

    private void applyToOmapOrCollection(Operation operation) {
        switch (operation) {
            case Operation.OmapClear o -> {
                if (select(o.collection(), o.object())) {
                    record.omapClear();
                    mutator.omapClear();
                }
            }
            case Operation.OmapSetKeys o -> {
                if (select(o.collection(), o.object())) {
                    record.omapSet(o.entries());
                    mutator.omapSet(o.entries());
                }
            }
            case Operation.OmapRemoveKeys o -> {
                if (select(o.collection(), o.object())) {
                    record.omapRemove(o.keys());
                    mutator.omapRemove(o.keys());
                }
            }
            case Operation.OmapRemoveKeyRange o -> {
                if (select(o.collection(), o.object())) {
                    record.omapRemoveRange(o.first(), o.last());
                    mutator.omapRemoveRange(o.first(), o.last());
                }
            }
            case Operation.OmapSetHeader o -> {
                if (select(o.collection(), o.object())) {
                    record.omapSetHeader(o.header());
                    mutator.omapSetHeader(o.header());
                }
            }
            case Operation.MakeCollection o -> makeCollection(o);
            case Operation.RemoveCollection o -> removeCollection(o.collection());
            case Operation.SetCollectionBits o -> {
                mutator.collection(o.collection());
                checkBits(o.collection(), o.bits());
                record.setBits(o.collection(), o.bits());
                mutator.setBits(o.collection(), o.bits());
            }
            case Operation.SplitCollection o -> split(o);
            case Operation.MergeCollection o -> merge(o);
            default -> throw new ObjectStoreException(ErrorCode.EOPNOTSUPP, "unknown operation " + operation);
        }
    }

    // ---- selection ----

    /** Selects an object; whether it exists. */
    private boolean select(CollectionId collection, ObjectId object) {
        mutator.select(collection, object);
        if (mutator.selected() == null) {
            return false;
        }
        record.select(collection, object);
        return true;
    }

    private Onode selectOrCreate(CollectionId collection, ObjectId object) {
        if (!select(collection, object)) {
            checkBelongs(mutator.collection(collection), object);
            record.select(collection, object);
            record.create();
            mutator.create();
        }
        return selected();
    }

    private static void checkBelongs(CollectionState collection, ObjectId object) {
        if (!collection.id().contains(object, collection.bits)) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "object " + object + " does not belong to collection " + collection.id() + " of " + collection.bits
                            + " bits");
        }
    }

    private Onode selected() {
        Onode onode = mutator.selected();
        if (onode == null) {
            throw new IllegalStateException("no object selected");
        }
        return onode;
    }

    private void remove() {
        record.remove();
        mutator.remove();
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
        Onode onode = selectOrCreate(o.collection(), o.object());
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
        changeBlocks(
                redirect.first,
                redirect.blocks,
                redirect.checksums,
                Math.max(onode.size, o.offset() + length),
                Changes.Kind.REDIRECTED);
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
            putScratch(from, count, size);
        }
    }

    /** Puts into scratch what a block holds outside the range about to be written, or zeros. */
    private void prepareBlock(
            Onode onode, ObjectId object, int index, long writeFrom, long writeEnd, long scratchOffset) {
        long start = (long) index * BLOCK;
        long liveEnd = Math.min(start + BLOCK, onode.size);
        boolean needed = (writeFrom > start && start < liveEnd) || writeEnd < liveEnd;
        if (needed && onode.blocks().block(index) != BlockMap.HOLE) {
            reader.read(reader.plan(object, onode.blocks(), start, BLOCK), start, BLOCK, scratch, scratchOffset);
        } else if (writeEnd - writeFrom < BLOCK) {
            scratch.asSlice(scratchOffset, BLOCK).fill((byte) 0);
        }
    }

    /** Makes the blocks in scratch those of the object selected from block {@code first} on. */
    private void putScratch(int first, int count, long size) {
        int[] blocks = state.allocate(count);
        int[] checksums = new int[count];
        for (int b = 0; b < count; b++) {
            checksums[b] = Checksum.of(scratch, (long) b * BLOCK, BLOCK);
        }
        boolean inline = shard.recordBytes() + (long) count * BLOCK <= shard.maxInlineBytes();
        if (!inline) {
            // The record is full: many partial blocks in one transaction. Slow, but nothing has to be unbounded.
            for (int b = 0; b < count; b++) {
                state.device().write(scratch.asSlice((long) b * BLOCK, BLOCK).asByteBuffer(), (long) blocks[b] * BLOCK);
            }
        }
        changeBlocks(first, blocks, checksums, size, inline ? Changes.Kind.INLINE : Changes.Kind.REDIRECTED);
    }

    private void changeBlocks(int first, int[] blocks, int[] checksums, long size, Changes.Kind kind) {
        record.blocks(first, blocks, checksums, size, kind, scratch, 0);
        mutator.blocks(first, blocks, checksums, size, kind, scratch, 0);
    }

    private void punch(int first, int end, long size) {
        int count = Math.max(0, end - first);
        record.punch(first, count, size);
        mutator.punch(first, count, size);
    }

    private void zero(Operation.Zero o) {
        checkSize(o.object(), o.offset(), o.length());
        Onode onode = selectOrCreate(o.collection(), o.object());
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
        punch(headLives ? first + 1 : first, tailLives ? last : last + 1, size);
    }

    /** Zeros the part of one block that lies in the range. */
    private void zeroWithin(Onode onode, ObjectId object, int index, long from, long end, long size) {
        if (onode.blocks().block(index) == BlockMap.HOLE) {
            return;
        }
        long start = (long) index * BLOCK;
        reader.read(reader.plan(object, onode.blocks(), start, BLOCK), start, BLOCK, scratch, 0);
        long zeroFrom = Math.max(0, from - start);
        long zeroEnd = Math.min(BLOCK, end - start);
        scratch.asSlice(zeroFrom, zeroEnd - zeroFrom).fill((byte) 0);
        putScratch(index, 1, size);
    }

    private void truncate(Operation.Truncate o) {
        checkSize(o.object(), o.size(), 0);
        if (!select(o.collection(), o.object())) {
            return;
        }
        Onode onode = selected();
        long size = o.size();
        int end = onode.sizeBlocks();
        int keep = (int) ((size + BLOCK - 1) / BLOCK);
        if (size < onode.size && size % BLOCK != 0) {
            zeroWithin(onode, o.object(), keep - 1, size, (long) keep * BLOCK, onode.size);
        }
        punch(keep, end, size);
    }

    // ---- clones ----

    private void cloneObject(Operation.Clone o) {
        if (!select(o.collection(), o.source())) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "clone of missing object " + o.source());
        }
        if (o.source().hash() != o.target().hash()) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "clone of " + o.source() + " to " + o.target() + ", whose hash differs");
        }
        if (o.source().equals(o.target())) {
            return;
        }
        if (select(o.collection(), o.target())) {
            remove();
        }
        boolean _ = select(o.collection(), o.source());
        record.cloneTo(o.target());
        mutator.cloneTo(o.target());
    }

    private void cloneRange(Operation.CloneRange o) {
        CollectionState collection = mutator.collection(o.collection());
        Onode source = collection.objects().get(o.source());
        if (source == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "clone range of missing object " + o.source());
        }
        long length = Math.min(o.length(), source.size - o.offset());
        checkSize(o.target(), o.targetOffset(), Math.max(0, length));
        Onode target = selectOrCreate(o.collection(), o.target());
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
        reader.read(reader.plan(o.source(), source.blocks(), from, n), from, n, copyBuffer, 0);
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
        shareBlocks(source, target, first, last, shift, end);
        if ((long) last * BLOCK < end) {
            copyBytes(source, target, o, (long) last * BLOCK, end - (long) last * BLOCK);
        }
    }

    private void shareBlocks(Onode source, Onode target, int first, int last, int shift, long end) {
        long size = Math.max(target.size, end);
        int i = first;
        while (i < last) {
            int mapped = source.blocks().nextMapped(i + shift, last + shift) - shift;
            if (mapped > i) {
                punch(i, mapped, size);
            }
            int stop = mapped;
            while (stop < last && source.blocks().block(stop + shift) != BlockMap.HOLE) {
                stop++;
            }
            if (stop > mapped) {
                shareRun(source, mapped, stop, shift, size);
            }
            i = stop;
        }
    }

    private void shareRun(Onode source, int from, int to, int shift, long size) {
        int[] blocks = new int[to - from];
        int[] checksums = new int[to - from];
        for (int i = from; i < to; i++) {
            blocks[i - from] = source.blocks().block(i + shift);
            checksums[i - from] = source.blocks().checksum(i + shift);
        }
        changeBlocks(from, blocks, checksums, size, Changes.Kind.SHARED);
    }

    private void rename(Operation.Rename o) {
        if (!select(o.collection(), o.source())) {
            return;
        }
        CollectionState to = mutator.collection(o.targetCollection());
        if (to.objects().get(o.target()) != null) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST, "rename of " + o.source() + " to " + o.target() + ", which exists");
        }
        checkBelongs(to, o.target());
        record.rename(o.targetCollection(), o.target());
        mutator.rename(o.targetCollection(), o.target());
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
        if (state.catalog().collection(o.collection()) != null) {
            throw new ObjectStoreException(ErrorCode.EEXIST, "collection " + o.collection() + " exists");
        }
        record.makeCollection(o.collection(), o.bits());
        mutator.makeCollection(o.collection(), o.bits());
    }

    private void removeCollection(CollectionId id) {
        int objects = mutator.collection(id).objects().size();
        if (objects > 0) {
            throw new ObjectStoreException(ErrorCode.ENOTEMPTY, "collection " + id + " holds " + objects + " objects");
        }
        record.removeCollection(id);
        mutator.removeCollection(id);
    }

    private void split(Operation.SplitCollection o) {
        checkBits(o.collection(), o.bits());
        mutator.collection(o.collection());
        mutator.collection(o.child());
        checkOther(o.collection(), o.child());
        record.split(o.collection(), o.child(), o.bits(), o.seed());
        mutator.split(o.collection(), o.child(), o.bits(), o.seed());
    }

    private void merge(Operation.MergeCollection o) {
        checkBits(o.collection(), o.bits());
        CollectionState from = mutator.collection(o.collection());
        CollectionState to = mutator.collection(o.target());
        checkOther(o.collection(), o.target());
        List<ObjectId> clash = new ArrayList<>();
        from.objects().forEach((object, _) -> {
            if (to.objects().get(object) != null) {
                clash.add(object);
            }
        });
        if (!clash.isEmpty()) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST, "merge of " + o.collection() + " into " + o.target() + ": both hold " + clash);
        }
        record.merge(o.collection(), o.target(), o.bits());
        mutator.merge(o.collection(), o.target(), o.bits());
    }
}
