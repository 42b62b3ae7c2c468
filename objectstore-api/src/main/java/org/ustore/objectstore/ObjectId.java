package org.ustore.objectstore;

/**
 * The full name of an object: every field of Ceph's {@code ghobject_t}, in Ceph's exact order.
 *
 * <p>Order: {@code max}, shard (signed), {@code hobjectMax}, pool (signed), bit-reversed hash (unsigned), namespace,
 * locator key (the name where there is none, and only if either object has a key), name, snap (unsigned), generation
 * (unsigned). Strings compare byte by byte. The bit-reversed hash is what keeps all objects of a placement group, and
 * of each half it may be split into, next to each other.
 *
 * @param shard the shard of an erasure-coded pool, or {@link #NO_SHARD}
 * @param pool the pool; -1 for the OSD's own objects; -2 - p for temporary objects of pool p
 * @param hash placement hash, 32 bits unsigned
 * @param nspace RADOS namespace, often empty
 * @param key locator key, empty unless the client set one that differs from the name
 * @param name object name
 * @param snap snapshot, or {@link #HEAD} or {@link #SNAPDIR}; unsigned
 * @param generation version kept for roll back, or {@link #NO_GENERATION}; unsigned
 * @param hobjectMax sorts after every object of its shard
 * @param max sorts after everything
 */
public record ObjectId(
        byte shard,
        long pool,
        int hash,
        ByteString nspace,
        ByteString key,
        ByteString name,
        long snap,
        long generation,
        boolean hobjectMax,
        boolean max)
        implements Comparable<ObjectId> {

    /** Snap of the live object. */
    public static final long HEAD = -2;
    /** Snap of the object that older releases kept clone metadata in. */
    public static final long SNAPDIR = -1;
    /** Generation of an object that is not kept for roll back. */
    public static final long NO_GENERATION = -1;
    /** Shard of an object of a replicated pool. */
    public static final byte NO_SHARD = -1;
    /** Pool of the OSD's own objects. */
    public static final long POOL_META = -1;

    private static final long POOL_TEMP_START = -2;
    private static final long POOL_UNSET = Long.MIN_VALUE;

    /** Sorts before every object. */
    public static final ObjectId MIN = bound(false);
    /** Sorts after every object; as {@code next} of a listing it says there is no more. */
    public static final ObjectId MAX = bound(true);

    private static ObjectId bound(boolean max) {
        return new ObjectId(
                NO_SHARD,
                POOL_UNSET,
                0,
                ByteString.EMPTY,
                ByteString.EMPTY,
                ByteString.EMPTY,
                0,
                NO_GENERATION,
                max,
                max);
    }

    /** The live object {@code name} of a replicated pool. */
    public static ObjectId head(long pool, int hash, ByteString name) {
        return new ObjectId(
                NO_SHARD, pool, hash, ByteString.EMPTY, ByteString.EMPTY, name, HEAD, NO_GENERATION, false, false);
    }

    /** An object of the OSD's own: pool -1, snap 0. */
    public static ObjectId meta(int hash, ByteString name) {
        return new ObjectId(
                NO_SHARD, POOL_META, hash, ByteString.EMPTY, ByteString.EMPTY, name, 0, NO_GENERATION, false, false);
    }

    /** This object with another snap. */
    public ObjectId withSnap(long newSnap) {
        return new ObjectId(shard, pool, hash, nspace, key, name, newSnap, generation, hobjectMax, max);
    }

    /** This object with another generation. */
    public ObjectId withGeneration(long newGeneration) {
        return new ObjectId(shard, pool, hash, nspace, key, name, snap, newGeneration, hobjectMax, max);
    }

    /** This object with another shard. */
    public ObjectId withShard(byte newShard) {
        return new ObjectId(newShard, pool, hash, nspace, key, name, snap, generation, hobjectMax, max);
    }

    /** This object with another name. */
    public ObjectId withName(ByteString newName) {
        return new ObjectId(shard, pool, hash, nspace, key, newName, snap, generation, hobjectMax, max);
    }

    /** Whether this is a temporary object, which lives in the PG of its pool but in no client's name space. */
    public boolean isTemporary() {
        return pool <= POOL_TEMP_START && pool != POOL_UNSET;
    }

    /** The pool whose PG holds the object: for a temporary one, the pool it is temporary in. */
    public long logicalPool() {
        return isTemporary() ? POOL_TEMP_START - pool : pool;
    }

    @Override
    public int compareTo(ObjectId other) {
        int c = Boolean.compare(max, other.max);
        if (c != 0) {
            return c;
        }
        c = Byte.compare(shard, other.shard);
        if (c != 0) {
            return c;
        }
        c = Boolean.compare(hobjectMax, other.hobjectMax);
        if (c != 0) {
            return c;
        }
        c = Long.compare(pool, other.pool);
        if (c != 0) {
            return c;
        }
        c = hobjectMax ? 0 : Integer.compareUnsigned(Integer.reverse(hash), Integer.reverse(other.hash));
        if (c != 0) {
            return c;
        }
        c = nspace.compareTo(other.nspace);
        if (c != 0) {
            return c;
        }
        return compareWithinNamespace(other);
    }

    private int compareWithinNamespace(ObjectId other) {
        int c;
        if (!key.isEmpty() || !other.key.isEmpty()) {
            c = effectiveKey().compareTo(other.effectiveKey());
            if (c != 0) {
                return c;
            }
        }
        c = name.compareTo(other.name);
        if (c != 0) {
            return c;
        }
        c = Long.compareUnsigned(snap, other.snap);
        if (c != 0) {
            return c;
        }
        return Long.compareUnsigned(generation, other.generation);
    }

    private ByteString effectiveKey() {
        return key.isEmpty() ? name : key;
    }

    /** The fields in Ceph's order, for messages. */
    @Override
    public String toString() {
        if (max) {
            return "MAX";
        }
        StringBuilder text = new StringBuilder();
        if (shard != NO_SHARD) {
            text.append(shard).append('#');
        }
        text.append(pool == POOL_UNSET ? "min" : Long.toString(pool))
                .append(':')
                .append(String.format("%08x", Integer.reverse(hash)))
                .append(':')
                .append(nspace)
                .append(':')
                .append(key)
                .append(':')
                .append(name)
                .append(':')
                .append(snap == HEAD ? "head" : snap == SNAPDIR ? "snapdir" : Long.toHexString(snap));
        if (generation != NO_GENERATION) {
            text.append('#').append(Long.toHexString(generation));
        }
        return hobjectMax ? text.append(":hobject-max").toString() : text.toString();
    }
}
