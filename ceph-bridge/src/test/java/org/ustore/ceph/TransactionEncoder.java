package org.ustore.ceph;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Operation;

/** Writes transactions as an OSD does ({@link WireFormat}), well formed or, field by field, not. */
final class TransactionEncoder {
    private final List<ByteBuffer> records = new ArrayList<>();
    private final List<CollectionId> collections = new ArrayList<>();
    private final List<ObjectId> objects = new ArrayList<>();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();

    /** Starts an operation; its fields are zero until set. */
    TransactionEncoder op(WireOp op) {
        return op(op.code());
    }

    TransactionEncoder op(int code) {
        records.add(ByteBuffer.allocate(WireFormat.OP_BYTES).order(ByteOrder.LITTLE_ENDIAN));
        return u32(WireFormat.OP, code);
    }

    /** Sets a field of the present operation. */
    TransactionEncoder u32(int field, int value) {
        records.getLast().putInt(field, value);
        return this;
    }

    TransactionEncoder u64(int field, long value) {
        records.getLast().putLong(field, value);
        return this;
    }

    TransactionEncoder cid(CollectionId id) {
        return u32(WireFormat.COLLECTION, index(collections, id));
    }

    TransactionEncoder oid(ObjectId object) {
        return u32(WireFormat.OBJECT, index(objects, object));
    }

    TransactionEncoder destCid(CollectionId id) {
        return u32(WireFormat.DEST_COLLECTION, index(collections, id));
    }

    TransactionEncoder destOid(ObjectId object) {
        return u32(WireFormat.DEST_OBJECT, index(objects, object));
    }

    private static <T> int index(List<T> table, T value) {
        if (!table.contains(value)) {
            table.add(value);
        }
        return table.indexOf(value);
    }

    /** Appends to the data. */
    TransactionEncoder number(int value) {
        data.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
        return this;
    }

    TransactionEncoder buffer(byte[] bytes) {
        number(bytes.length);
        data.writeBytes(bytes);
        return this;
    }

    TransactionEncoder string(ByteString text) {
        return buffer(text.toByteArray());
    }

    TransactionEncoder raw(byte... bytes) {
        data.writeBytes(bytes);
        return this;
    }

    TransactionEncoder map(Map<ByteString, ByteString> map) {
        number(map.size());
        map.forEach((key, value) -> string(key).string(value));
        return this;
    }

    /** Adds an operation as an OSD would write it. */
    TransactionEncoder add(Operation operation) {
        switch (operation) {
            case Operation.Touch op -> op(WireOp.TOUCH).oid(op.object());
            case Operation.Write op ->
                op(WireOp.WRITE)
                        .oid(op.object())
                        .u64(WireFormat.OFFSET, op.offset())
                        .u64(WireFormat.LENGTH, op.data().sizeBytes())
                        .buffer(op.data().toByteArray());
            case Operation.Zero op ->
                op(WireOp.ZERO)
                        .oid(op.object())
                        .u64(WireFormat.OFFSET, op.offset())
                        .u64(WireFormat.LENGTH, op.length());
            case Operation.Truncate op -> op(WireOp.TRUNCATE).oid(op.object()).u64(WireFormat.OFFSET, op.size());
            case Operation.Remove op -> op(WireOp.REMOVE).oid(op.object());
            case Operation.SetAttributes op ->
                op(WireOp.SETATTRS).oid(op.object()).map(op.attributes());
            case Operation.RemoveAttribute op ->
                op(WireOp.RMATTR).oid(op.object()).string(op.name());
            case Operation.RemoveAllAttributes op -> op(WireOp.RMATTRS).oid(op.object());
            case Operation.Clone op -> op(WireOp.CLONE).oid(op.source()).destOid(op.target());
            case Operation.CloneRange op ->
                op(WireOp.CLONERANGE2)
                        .oid(op.source())
                        .destOid(op.target())
                        .u64(WireFormat.OFFSET, op.offset())
                        .u64(WireFormat.LENGTH, op.length())
                        .u64(WireFormat.DEST_OFFSET, op.targetOffset());
            case Operation.Rename op ->
                op(WireOp.COLL_MOVE_RENAME)
                        .oid(op.source())
                        .destCid(op.targetCollection())
                        .destOid(op.target());
            case Operation.OmapClear op -> op(WireOp.OMAP_CLEAR).oid(op.object());
            case Operation.OmapSetKeys op ->
                op(WireOp.OMAP_SETKEYS).oid(op.object()).map(op.entries());
            case Operation.OmapRemoveKeys op -> {
                op(WireOp.OMAP_RMKEYS).oid(op.object()).number(op.keys().size());
                op.keys().forEach(this::string);
            }
            case Operation.OmapRemoveKeyRange op ->
                op(WireOp.OMAP_RMKEYRANGE).oid(op.object()).string(op.first()).string(op.last());
            case Operation.OmapSetHeader op ->
                op(WireOp.OMAP_SETHEADER).oid(op.object()).string(op.header());
            case Operation.SetAllocationHint op ->
                op(WireOp.SETALLOCHINT)
                        .oid(op.object())
                        .u64(WireFormat.EXPECTED_OBJECT_SIZE, op.expectedObjectSize())
                        .u64(WireFormat.EXPECTED_WRITE_SIZE, op.expectedWriteSize())
                        .u32(WireFormat.HINT, op.flags());
            case Operation.MakeCollection op -> op(WireOp.MKCOLL).u32(WireFormat.BITS, op.bits());
            case Operation.RemoveCollection _ -> op(WireOp.RMCOLL);
            case Operation.SetCollectionBits op -> op(WireOp.COLL_SET_BITS).u32(WireFormat.BITS, op.bits());
            case Operation.SplitCollection op ->
                op(WireOp.SPLIT_COLLECTION2)
                        .destCid(op.child())
                        .u32(WireFormat.BITS, op.bits())
                        .u32(WireFormat.REMAINDER, op.seed());
            case Operation.MergeCollection op ->
                op(WireOp.MERGE_COLLECTION).destCid(op.target()).u32(WireFormat.BITS, op.bits());
        }
        return cid(operation.collection());
    }

    byte[] ops() {
        byte[] bytes = new byte[records.size() * WireFormat.OP_BYTES];
        for (int i = 0; i < records.size(); i++) {
            System.arraycopy(records.get(i).array(), 0, bytes, i * WireFormat.OP_BYTES, WireFormat.OP_BYTES);
        }
        return bytes;
    }

    byte[] data() {
        return data.toByteArray();
    }

    CollectionId[] collections() {
        return collections.toArray(CollectionId[]::new);
    }

    ObjectId[] objects() {
        return objects.toArray(ObjectId[]::new);
    }

    /** Native memory that ends where {@code bytes} end, so that a read past them is caught. */
    static MemorySegment nativeCopy(Arena arena, byte[] bytes, int from, int to) {
        MemorySegment segment = arena.allocate(to - from);
        MemorySegment.copy(bytes, from, segment, ValueLayout.JAVA_BYTE, 0, to - from);
        return segment.asReadOnly();
    }

    /** {@code bytes} in up to {@code pieces} pieces cut at random, some of them empty. */
    static MemorySegment[] fragments(Arena arena, byte[] bytes, int pieces, Random random) {
        List<MemorySegment> result = new ArrayList<>();
        int at = 0;
        for (int i = 1; i < pieces; i++) {
            int next = random.nextInt(4) == 0 ? at : Math.min(bytes.length, at + 1 + random.nextInt(9));
            result.add(nativeCopy(arena, bytes, at, next));
            at = next;
        }
        result.add(nativeCopy(arena, bytes, at, bytes.length));
        return result.toArray(MemorySegment[]::new);
    }
}
