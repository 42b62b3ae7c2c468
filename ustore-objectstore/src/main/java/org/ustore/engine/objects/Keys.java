package org.ustore.engine.objects;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The keys of the metadata, big-endian so that their order is that of what they name.
 *
 * <pre>
 *  'C'  checksums of a chunk    nid u64 | chunk u16
 *  'D'  places of a chunk       nid u64 | chunk u16
 *  'L'  collection              type u8 | pool u64 | seed u32 | shard u8 + 128
 *  'M'  omap entry              nid u64 | key
 *  'N'  next nid
 *  'O'  object                  shard u8 + 128 | pool u64 + 2^63 | hash, bits reversed, u32 | namespace |
 *                               locator key, or name if there is none |
 *                               1 if the name sorts before the locator key, 3 if after it, then the name; else 2 |
 *                               snap u64 | generation u64
 *  'U'  usage of a pool         pool u64
 * </pre>
 *
 * <p>Strings within an object's key end in a byte 0; a 0 in them becomes 1 1, a 1 becomes 1 2. So the order of keys is that
 * of {@link ObjectId}s, and the objects of a collection of any number of bits are a range, two with the temporary ones.
 */
final class Keys {
    static final byte CHECKSUMS = 'C';
    static final byte PLACES = 'D';
    static final byte COLLECTION = 'L';
    static final byte OMAP = 'M';
    static final byte OBJECT = 'O';
    static final byte USAGE = 'U';

    /** The key of the next nid. */
    static final byte[] NEXT_NID = {'N'};

    /** Bytes of a chunk's key. */
    static final int CHUNK_BYTES = 11;

    /** Bytes of an omap entry's key before the entry's own. */
    static final int OMAP_PREFIX_BYTES = 9;

    private static final int NAME_BEFORE_KEY = 1;
    private static final int NAME_IS_KEY = 2;
    private static final int NAME_AFTER_KEY = 3;
    private static final int SHARD_BIAS = 128;
    private static final int OBJECT_FIXED_BYTES = 1 + 1 + 8 + 4 + 1 + 8 + 8;

    private Keys() {}

    // ---- places, checksums, omap, usage ----

    static byte[] places(long nid, int chunk) {
        return chunkKey(PLACES, nid, chunk);
    }

    static byte[] checksums(long nid, int chunk) {
        return chunkKey(CHECKSUMS, nid, chunk);
    }

    private static byte[] chunkKey(byte prefix, long nid, int chunk) {
        byte[] key = new byte[CHUNK_BYTES];
        key[0] = prefix;
        putLong(key, 1, nid);
        key[9] = (byte) (chunk >>> 8);
        key[10] = (byte) chunk;
        return key;
    }

    static int chunkOf(byte[] chunkKey) {
        return (chunkKey[9] & 0xff) << 8 | (chunkKey[10] & 0xff);
    }

    /** The nid in the key of a chunk or omap entry. */
    static long nidOf(byte[] key) {
        return getLong(key, 1);
    }

    static byte[] omap(long nid, ByteString key) {
        byte[] result = new byte[OMAP_PREFIX_BYTES + key.length()];
        result[0] = OMAP;
        putLong(result, 1, nid);
        key.copyTo(java.lang.foreign.MemorySegment.ofArray(result), OMAP_PREFIX_BYTES);
        return result;
    }

    static byte[] omapStart(long nid) {
        return omap(nid, ByteString.EMPTY);
    }

    static byte[] omapEnd(long nid) {
        return omap(nid + 1, ByteString.EMPTY);
    }

    static ByteString omapKeyOf(byte[] key) {
        return ByteString.wrap(Arrays.copyOfRange(key, OMAP_PREFIX_BYTES, key.length));
    }

    static byte[] usage(long pool) {
        byte[] key = new byte[9];
        key[0] = USAGE;
        putLong(key, 1, pool);
        return key;
    }

    static long poolOf(byte[] usageKey) {
        return getLong(usageKey, 1);
    }

    /** The first key after all those that begin with {@code prefix}. */
    static byte[] after(byte prefix) {
        return new byte[] {(byte) (prefix + 1)};
    }

    // ---- collections ----

    @SuppressWarnings("EnumOrdinal") // the ordinal is Ceph's number of the type
    static byte[] collection(CollectionId id) {
        byte[] key = new byte[15];
        key[0] = COLLECTION;
        key[1] = (byte) id.type().ordinal();
        putLong(key, 2, id.pool());
        putInt(key, 10, id.seed());
        key[14] = (byte) (id.shard() + SHARD_BIAS);
        return key;
    }

    @SuppressWarnings("EnumOrdinal")
    static CollectionId collectionOf(byte[] key) {
        CollectionId.Type[] types = CollectionId.Type.values();
        if (key.length != 15 || key[1] < 0 || key[1] >= types.length) {
            throw malformed("collection", key);
        }
        return new CollectionId(
                types[key[1]], getLong(key, 2), getInt(key, 10), (byte) ((key[14] & 0xff) - SHARD_BIAS));
    }

    // ---- objects ----

    /** The key of an object, or of a bound such as {@link ObjectId#MIN}; {@link ObjectId#MAX} is after all objects. */
    static byte[] object(ObjectId id) {
        if (id.max()) {
            return after(OBJECT);
        }
        if (id.hobjectMax()) {
            // After all objects of the shard.
            int next = id.shard() + SHARD_BIAS + 1;
            return next > 0xff ? after(OBJECT) : new byte[] {OBJECT, (byte) next};
        }
        ByteString name = id.name();
        ByteString key = id.key();
        int order = key.isEmpty() ? 0 : name.compareTo(key);
        ByteString effective = order == 0 ? name : key;
        int bytes = OBJECT_FIXED_BYTES
                + escapedBytes(id.nspace())
                + escapedBytes(effective)
                + (order == 0 ? 0 : escapedBytes(name));
        byte[] out = new byte[bytes];
        out[0] = OBJECT;
        out[1] = (byte) (id.shard() + SHARD_BIAS);
        putLong(out, 2, id.pool() ^ Long.MIN_VALUE);
        putInt(out, 10, Integer.reverse(id.hash()));
        int at = escape(id.nspace(), out, 14);
        at = escape(effective, out, at);
        out[at++] = (byte) (order == 0 ? NAME_IS_KEY : order < 0 ? NAME_BEFORE_KEY : NAME_AFTER_KEY);
        if (order != 0) {
            at = escape(name, out, at);
        }
        putLong(out, at, id.snap());
        putLong(out, at + 8, id.generation());
        return out;
    }

    /** The first key of a shard and pool whose reversed hash is at least {@code reversedHash}. */
    static byte[] bound(byte shard, long pool, long reversedHash) {
        if (reversedHash > 0xffff_ffffL) {
            byte[] key = new byte[10];
            key[0] = OBJECT;
            key[1] = (byte) (shard + SHARD_BIAS);
            // Pools are far from the end of the numbers.
            putLong(key, 2, (pool ^ Long.MIN_VALUE) + 1);
            return key;
        }
        byte[] key = new byte[14];
        key[0] = OBJECT;
        key[1] = (byte) (shard + SHARD_BIAS);
        putLong(key, 2, pool ^ Long.MIN_VALUE);
        putInt(key, 10, (int) reversedHash);
        return key;
    }

    private static int escapedBytes(ByteString text) {
        int bytes = text.length() + 1;
        for (int i = 0; i < text.length(); i++) {
            if ((text.byteAt(i) & 0xfe) == 0) {
                bytes++;
            }
        }
        return bytes;
    }

    private static int escape(ByteString text, byte[] out, int from) {
        int at = from;
        for (int i = 0; i < text.length(); i++) {
            byte b = text.byteAt(i);
            if ((b & 0xfe) == 0) {
                out[at++] = 1;
                out[at++] = (byte) (b + 1);
            } else {
                out[at++] = b;
            }
        }
        out[at] = 0;
        return at + 1;
    }

    /**
     * The object that a key names.
     *
     * @throws ObjectStoreException {@code EIO} if it names none
     */
    static ObjectId objectOf(byte[] key) {
        return new Parser(key).object();
    }

    /** Walks through an object's key. */
    private static final class Parser {
        private final byte[] key;
        private int at = 14;

        Parser(byte[] key) {
            this.key = key;
        }

        ObjectId object() {
            if (key.length < 14 || key[0] != OBJECT) {
                throw malformed("object", key);
            }
            ByteString nspace = string();
            ByteString effective = string();
            int order = at < key.length ? key[at++] : 0;
            ByteString name = order == NAME_IS_KEY ? effective : string();
            if (order < NAME_BEFORE_KEY || order > NAME_AFTER_KEY || key.length != at + 16) {
                throw malformed("object", key);
            }
            return new ObjectId(
                    (byte) ((key[1] & 0xff) - SHARD_BIAS),
                    getLong(key, 2) ^ Long.MIN_VALUE,
                    Integer.reverse(getInt(key, 10)),
                    nspace,
                    order == NAME_IS_KEY ? ByteString.EMPTY : effective,
                    name,
                    getLong(key, at),
                    getLong(key, at + 8),
                    false,
                    false);
        }

        private ByteString string() {
            byte[] out = new byte[key.length - at];
            int n = 0;
            while (true) {
                if (at >= key.length) {
                    throw malformed("object", key);
                }
                byte b = key[at++];
                if (b == 0) {
                    return ByteString.wrap(Arrays.copyOf(out, n));
                }
                if (b == 1) {
                    if (at >= key.length) {
                        throw malformed("object", key);
                    }
                    b = (byte) (key[at++] - 1);
                }
                out[n++] = b;
            }
        }
    }

    private static ObjectStoreException malformed(String what, byte @Nullable [] key) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                "malformed metadata: key of an " + what + ": " + ByteString.wrap(key == null ? new byte[0] : key));
    }

    // ---- numbers ----

    static void putLong(byte[] out, int at, long value) {
        putInt(out, at, (int) (value >>> 32));
        putInt(out, at + 4, (int) value);
    }

    static void putInt(byte[] out, int at, int value) {
        out[at] = (byte) (value >>> 24);
        out[at + 1] = (byte) (value >>> 16);
        out[at + 2] = (byte) (value >>> 8);
        out[at + 3] = (byte) value;
    }

    static long getLong(byte[] in, int at) {
        return (long) getInt(in, at) << 32 | Integer.toUnsignedLong(getInt(in, at + 4));
    }

    static int getInt(byte[] in, int at) {
        return (in[at] & 0xff) << 24 | (in[at + 1] & 0xff) << 16 | (in[at + 2] & 0xff) << 8 | (in[at + 3] & 0xff);
    }
}
