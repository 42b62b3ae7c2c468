package org.ustore.engine.meta;

import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Names of collections and objects as the log and the checkpoint image carry them, little-endian.
 *
 * <pre>
 *  collection   type u8 | pool i64 | seed u32 | shard i8
 *  object       shard i8 | pool i64 | hash u32 | snap u64 | generation u64 | namespace | key | name
 *               (each string: length u32 | bytes)
 * </pre>
 */
public final class Names {
    /** Bytes of an object's name besides its strings. */
    private static final long OBJECT_BYTES = 1 + 8 + 4 + 8 + 8 + 3 * 4;

    private Names() {}

    /** Appends a collection's name. */
    @SuppressWarnings("EnumOrdinal") // the ordinal is Ceph's number of the type
    public static void encode(ByteWriter out, CollectionId id) {
        out.putByte(id.type().ordinal());
        out.putLong(id.pool());
        out.putInt(id.seed());
        out.putByte(id.shard());
    }

    /** Reads a collection's name. */
    @SuppressWarnings("EnumOrdinal")
    public static CollectionId decodeCollection(ByteReader in) {
        int type = in.getByte();
        CollectionId.Type[] types = CollectionId.Type.values();
        if (type >= types.length) {
            throw new ObjectStoreException(ErrorCode.EIO, "malformed metadata: collection type " + type);
        }
        return new CollectionId(types[type], in.getLong(), in.getInt(), (byte) in.getByte());
    }

    /** Appends an object's name; it is a real one, neither MIN nor MAX. */
    public static void encode(ByteWriter out, ObjectId id) {
        out.putByte(id.shard());
        out.putLong(id.pool());
        out.putInt(id.hash());
        out.putLong(id.snap());
        out.putLong(id.generation());
        out.putString(id.nspace());
        out.putString(id.key());
        out.putString(id.name());
    }

    /** Reads an object's name. */
    public static ObjectId decodeObject(ByteReader in) {
        byte shard = (byte) in.getByte();
        long pool = in.getLong();
        int hash = in.getInt();
        long snap = in.getLong();
        long generation = in.getLong();
        ByteString nspace = in.getString();
        ByteString key = in.getString();
        return new ObjectId(shard, pool, hash, nspace, key, in.getString(), snap, generation, false, false);
    }

    /** Bytes that {@link #encode(ByteWriter, ObjectId)} appends. */
    public static long encodedBytes(ObjectId id) {
        return OBJECT_BYTES
                + id.nspace().length()
                + id.key().length()
                + id.name().length();
    }
}
