package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/**
 * Reads a transaction of an OSD ({@link WireFormat}) in place.
 *
 * <p>The data of writes stays where it is, as views; names, attributes and omap are copied. What is malformed is refused
 * with {@link ErrorCode#EINVAL} and the operation, field, value and limit; nothing outside of the given memory is read,
 * and no corrupt length or count makes it allocate more than the data could hold. Stateless; called by any thread.
 */
final class TransactionDecoder {
    private final MemorySegment ops;
    private final WireData data;
    private final @Nullable CollectionId[] collections;
    private final @Nullable ObjectId[] objects;
    private final WireError error = new WireError();
    /** Where the present operation starts, in bytes. */
    private long base;

    private TransactionDecoder(
            MemorySegment ops,
            MemorySegment[] data,
            @Nullable CollectionId[] collections,
            @Nullable ObjectId[] objects) {
        this.ops = ops;
        this.data = new WireData(data);
        this.collections = collections;
        this.objects = objects;
    }

    /**
     * The transaction of these operations.
     *
     * @param ops the operations, {@value WireFormat#OP_BYTES} bytes each
     * @param data what they consume, in pieces
     * @param collections the collections by index; null where an index is not used
     * @param objects the objects by index; null where an index is not used
     * @throws ObjectStoreException {@link ErrorCode#EINVAL} if it is malformed, {@link ErrorCode#EOPNOTSUPP} for an
     *     operation of releases long gone
     */
    static Transaction decode(
            MemorySegment ops,
            MemorySegment[] data,
            @Nullable CollectionId[] collections,
            @Nullable ObjectId[] objects) {
        return new TransactionDecoder(ops, data, collections, objects).decodeAll();
    }

    private Transaction decodeAll() {
        long count = ops.byteSize() / WireFormat.OP_BYTES;
        if (ops.byteSize() % WireFormat.OP_BYTES != 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "malformed transaction: operations take " + ops.byteSize() + " bytes, not a multiple of "
                            + WireFormat.OP_BYTES);
        }
        Transaction transaction = new Transaction();
        for (int index = 0; index < count; index++) {
            base = (long) index * WireFormat.OP_BYTES;
            int code = intAt(WireFormat.OP);
            WireOp op = WireOp.of(code);
            error.at(index, op == null ? "unknown" : op.name());
            if (op == null) {
                throw error.invalid("op", Integer.toUnsignedString(code), "the codes of Ceph 16, 0 to 43");
            }
            Operation operation = decode(op);
            if (operation != null) {
                transaction.add(operation);
            }
        }
        if (data.left() > 0) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "malformed transaction: " + data.left() + " bytes of data left over after " + count
                            + " operations");
        }
        return transaction;
    }

    /** The present operation, or null if there is nothing to do. */
    private @Nullable Operation decode(WireOp op) {
        return switch (op) {
            case NOP, TRIMCACHE -> null;
            case COLL_HINT -> {
                data.skip(error, "hint length");
                yield null;
            }
            case CREATE, TOUCH -> new Operation.Touch(collection(), object());
            case WRITE -> {
                long length = size(WireFormat.LENGTH, "length");
                yield new Operation.Write(collection(), object(), offset(), data.payload(error, length));
            }
            case ZERO -> new Operation.Zero(collection(), object(), offset(), size(WireFormat.LENGTH, "length"));
            case TRUNCATE -> new Operation.Truncate(collection(), object(), offset());
            case REMOVE -> new Operation.Remove(collection(), object());
            case SETATTR, SETATTRS, RMATTR, RMATTRS -> attributes(op);
            case OMAP_CLEAR, OMAP_SETKEYS, OMAP_RMKEYS, OMAP_SETHEADER, OMAP_RMKEYRANGE -> omap(op);
            case CLONE -> new Operation.Clone(collection(), object(), destObject());
            case CLONERANGE -> cloneRange(offset());
            case CLONERANGE2 -> cloneRange(size(WireFormat.DEST_OFFSET, "destination offset"));
            case COLL_MOVE_RENAME -> new Operation.Rename(collection(), object(), destCollection(), destObject());
            case TRY_RENAME -> new Operation.Rename(collection(), object(), collection(), destObject());
            case SETALLOCHINT ->
                new Operation.SetAllocationHint(
                        collection(),
                        object(),
                        longAt(WireFormat.EXPECTED_OBJECT_SIZE),
                        longAt(WireFormat.EXPECTED_WRITE_SIZE),
                        intAt(WireFormat.HINT));
            case MKCOLL -> new Operation.MakeCollection(collection(), bits());
            case RMCOLL -> new Operation.RemoveCollection(collection());
            case COLL_SET_BITS -> new Operation.SetCollectionBits(collection(), bits());
            case SPLIT_COLLECTION2 ->
                new Operation.SplitCollection(collection(), destCollection(), bits(), intAt(WireFormat.REMAINDER));
            case MERGE_COLLECTION -> new Operation.MergeCollection(collection(), destCollection(), bits());
            case COLL_MOVE,
                    COLL_ADD,
                    COLL_REMOVE,
                    COLL_SETATTR,
                    COLL_RMATTR,
                    COLL_SETATTRS,
                    COLL_RENAME,
                    SPLIT_COLLECTION -> throw error.unsupported(op.code());
        };
    }

    private Operation attributes(WireOp op) {
        CollectionId collection = collection();
        ObjectId object = object();
        return switch (op) {
            case SETATTR -> {
                ByteString name = data.string(error, "name length");
                ByteString value = data.string(error, "value length");
                yield new Operation.SetAttributes(collection, object, Map.of(name, value));
            }
            case SETATTRS -> new Operation.SetAttributes(collection, object, data.map(error));
            case RMATTR -> new Operation.RemoveAttribute(collection, object, data.string(error, "name length"));
            default -> new Operation.RemoveAllAttributes(collection, object);
        };
    }

    private Operation omap(WireOp op) {
        CollectionId collection = collection();
        ObjectId object = object();
        return switch (op) {
            case OMAP_SETKEYS -> new Operation.OmapSetKeys(collection, object, data.map(error));
            case OMAP_RMKEYS -> new Operation.OmapRemoveKeys(collection, object, data.set(error));
            case OMAP_SETHEADER -> new Operation.OmapSetHeader(collection, object, data.string(error, "header length"));
            case OMAP_RMKEYRANGE -> {
                ByteString first = data.string(error, "first key length");
                yield new Operation.OmapRemoveKeyRange(
                        collection, object, first, data.string(error, "last key length"));
            }
            default -> new Operation.OmapClear(collection, object);
        };
    }

    private Operation cloneRange(long destOffset) {
        return new Operation.CloneRange(
                collection(), object(), destObject(), offset(), size(WireFormat.LENGTH, "length"), destOffset);
    }

    private CollectionId collection() {
        return collection(WireFormat.COLLECTION, "collection index");
    }

    private CollectionId destCollection() {
        return collection(WireFormat.DEST_COLLECTION, "destination collection index");
    }

    private ObjectId object() {
        return object(WireFormat.OBJECT, "object index");
    }

    private ObjectId destObject() {
        return object(WireFormat.DEST_OBJECT, "destination object index");
    }

    private CollectionId collection(int field, String name) {
        int index = intAt(field);
        CollectionId found = index < 0 || index >= collections.length ? null : collections[index];
        if (found == null) {
            throw error.invalid(name, Integer.toUnsignedString(index), "a table of " + collections.length);
        }
        return found;
    }

    private ObjectId object(int field, String name) {
        int index = intAt(field);
        ObjectId found = index < 0 || index >= objects.length ? null : objects[index];
        if (found == null) {
            throw error.invalid(name, Integer.toUnsignedString(index), "a table of " + objects.length);
        }
        return found;
    }

    private long offset() {
        return size(WireFormat.OFFSET, "offset");
    }

    private long size(int field, String name) {
        long value = longAt(field);
        if (value < 0) {
            throw error.invalid(name, Long.toUnsignedString(value), Long.toString(Long.MAX_VALUE));
        }
        return value;
    }

    private int bits() {
        int bits = intAt(WireFormat.BITS);
        if (bits < 0 || bits > WireFormat.MAX_BITS) {
            throw error.invalid("bits", Integer.toUnsignedString(bits), "0 to " + WireFormat.MAX_BITS);
        }
        return bits;
    }

    private int intAt(int field) {
        return ops.get(JAVA_INT_UNALIGNED, base + field);
    }

    private long longAt(int field) {
        return ops.get(JAVA_LONG_UNALIGNED, base + field);
    }
}
