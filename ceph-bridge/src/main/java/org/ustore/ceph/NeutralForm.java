package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The form in which names of objects and collections cross the bridge, the same for every Ceph release; little endian.
 *
 * <pre>
 *  object       0       8      16          24     28     29     30   32      36      40       44
 *              | pool  | snap | generation | hash | shard | flags | 0 | name  | key   | nspace  | name, key, nspace
 *              | i64   | u64  | u64        | u32  | i8    | u8    |   | bytes | bytes | bytes   |
 *
 *  collection   0      4       5    8      12   16
 *              | type | shard | 0  | seed | 0  | pool |
 *              | u32  | i8    |    | u32  |    | u64  |
 * </pre>
 *
 * Flags: 1 = {@link ObjectId#max()}, 2 = {@link ObjectId#hobjectMax()}.
 */
final class NeutralForm {
    /** Size of a collection, in bytes. */
    static final int COLLECTION_BYTES = 24;

    private static final int OBJECT_HEADER_BYTES = 44;
    private static final int FLAG_MAX = 1;
    private static final int FLAG_HOBJECT_MAX = 2;
    private static final CollectionId.Type[] TYPES = CollectionId.Type.values();

    private NeutralForm() {}

    /** The collection at {@code offset} of {@code from}. */
    static CollectionId collection(MemorySegment from, long offset) {
        int type = from.get(JAVA_INT_UNALIGNED, offset);
        if (type < 0 || type >= TYPES.length) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection type=" + type + ", known are 0 to 3");
        }
        return new CollectionId(
                TYPES[type],
                from.get(JAVA_LONG_UNALIGNED, offset + 16),
                from.get(JAVA_INT_UNALIGNED, offset + 8),
                from.get(JAVA_BYTE, offset + 4));
    }

    /** Writes {@code id}, {@link #COLLECTION_BYTES} long, at {@code offset} of {@code to}. */
    static void put(CollectionId id, MemorySegment to, long offset) {
        to.set(JAVA_INT_UNALIGNED, offset, typeNumber(id.type()));
        to.set(JAVA_INT_UNALIGNED, offset + 4, id.shard() & 0xff);
        to.set(JAVA_INT_UNALIGNED, offset + 8, id.seed());
        to.set(JAVA_INT_UNALIGNED, offset + 12, 0);
        to.set(JAVA_LONG_UNALIGNED, offset + 16, id.pool());
    }

    /** The object at {@code offset} of {@code from}. */
    static ObjectId object(MemorySegment from, long offset) {
        int name = from.get(JAVA_INT_UNALIGNED, offset + 32);
        int key = from.get(JAVA_INT_UNALIGNED, offset + 36);
        int nspace = from.get(JAVA_INT_UNALIGNED, offset + 40);
        int flags = from.get(JAVA_BYTE, offset + 29);
        long at = offset + OBJECT_HEADER_BYTES;
        return new ObjectId(
                from.get(JAVA_BYTE, offset + 28),
                from.get(JAVA_LONG_UNALIGNED, offset),
                from.get(JAVA_INT_UNALIGNED, offset + 24),
                string(from, at + name + key, nspace),
                string(from, at + name, key),
                string(from, at, name),
                from.get(JAVA_LONG_UNALIGNED, offset + 8),
                from.get(JAVA_LONG_UNALIGNED, offset + 16),
                (flags & FLAG_HOBJECT_MAX) != 0,
                (flags & FLAG_MAX) != 0);
    }

    /** Length of {@code id} in this form, in bytes. */
    static int size(ObjectId id) {
        return OBJECT_HEADER_BYTES
                + id.name().length()
                + id.key().length()
                + id.nspace().length();
    }

    /** Writes {@code id} at {@code offset} of {@code to}; returns the offset behind it. */
    static long put(ObjectId id, MemorySegment to, long offset) {
        to.set(JAVA_LONG_UNALIGNED, offset, id.pool());
        to.set(JAVA_LONG_UNALIGNED, offset + 8, id.snap());
        to.set(JAVA_LONG_UNALIGNED, offset + 16, id.generation());
        to.set(JAVA_INT_UNALIGNED, offset + 24, id.hash());
        int flags = (id.max() ? FLAG_MAX : 0) | (id.hobjectMax() ? FLAG_HOBJECT_MAX : 0);
        to.set(JAVA_INT_UNALIGNED, offset + 28, (id.shard() & 0xff) | (flags << 8));
        to.set(JAVA_INT_UNALIGNED, offset + 32, id.name().length());
        to.set(JAVA_INT_UNALIGNED, offset + 36, id.key().length());
        to.set(JAVA_INT_UNALIGNED, offset + 40, id.nspace().length());
        long at = offset + OBJECT_HEADER_BYTES;
        id.name().copyTo(to, at);
        at += id.name().length();
        id.key().copyTo(to, at);
        at += id.key().length();
        id.nspace().copyTo(to, at);
        return at + id.nspace().length();
    }

    private static int typeNumber(CollectionId.Type type) {
        return switch (type) {
            case META -> 0;
            case LEGACY_TEMP -> 1;
            case PG -> 2;
            case PG_TEMP -> 3;
        };
    }

    private static ByteString string(MemorySegment from, long offset, int length) {
        return length == 0 ? ByteString.EMPTY : ByteString.copyOf(from.asSlice(offset, length));
    }
}
