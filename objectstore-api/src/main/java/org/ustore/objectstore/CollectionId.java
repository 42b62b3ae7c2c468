package org.ustore.objectstore;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a collection: the OSD's own {@code meta}, or a placement group.
 *
 * @param type what kind of collection
 * @param pool the pool of a PG, 0 otherwise
 * @param seed the number of the PG within its pool, 32 bits unsigned, 0 otherwise
 * @param shard the shard of an erasure-coded PG, or {@link ObjectId#NO_SHARD}
 */
public record CollectionId(Type type, long pool, int seed, byte shard) implements Comparable<CollectionId> {

    /** The kinds of collection; the ordinal is the number Ceph uses. */
    public enum Type {
        /** Objects of the OSD itself: superblock, maps. */
        META,
        /** Temporary objects of very old releases. */
        LEGACY_TEMP,
        /** A placement group. */
        PG,
        /** Temporary objects of a placement group, in older releases. */
        PG_TEMP
    }

    /** The OSD's own collection. */
    public static final CollectionId META = new CollectionId(Type.META, 0, 0, ObjectId.NO_SHARD);

    private static final Pattern PG_NAME = Pattern.compile("(\\d{1,19})\\.([0-9a-f]{1,8})(?:s(\\d{1,3}))?_(head|TEMP)");

    /** The collection of a replicated PG. */
    public static CollectionId pg(long pool, int seed) {
        return new CollectionId(Type.PG, pool, seed, ObjectId.NO_SHARD);
    }

    /** The collection of one shard of an erasure-coded PG. */
    public static CollectionId pg(long pool, int seed, byte shard) {
        return new CollectionId(Type.PG, pool, seed, shard);
    }

    /**
     * Reads a name as {@link #toString} writes it.
     *
     * @throws ObjectStoreException {@link ErrorCode#EINVAL} if it is no collection name
     */
    public static CollectionId parse(String text) {
        if (text.equals("meta")) {
            return META;
        }
        Matcher m = PG_NAME.matcher(text);
        if (!m.matches()) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "not a collection name: '" + text + "'; expected meta, <pool>.<seed>[s<shard>]_head or ..._TEMP");
        }
        try {
            return new CollectionId(
                    m.group(4).equals("head") ? Type.PG : Type.PG_TEMP,
                    Long.parseLong(m.group(1)),
                    Integer.parseUnsignedInt(m.group(2), 16),
                    m.group(3) == null ? ObjectId.NO_SHARD : Byte.parseByte(m.group(3)));
        } catch (NumberFormatException e) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "number out of range in collection name '" + text + "'", e);
        }
    }

    /** Whether this is the OSD's own collection. */
    public boolean isMeta() {
        return type == Type.META;
    }

    /**
     * Whether {@code object} belongs here: any object of the meta pool in {@code meta}; in a PG of {@code bits} bits an
     * object of its pool, temporary ones included, whose low {@code bits} bits of the hash equal the seed's.
     *
     * @param bits 0 to 32
     */
    public boolean contains(ObjectId object, int bits) {
        if (type == Type.META) {
            return object.pool() == ObjectId.POOL_META;
        }
        int mask = bits == 32 ? -1 : (1 << bits) - 1;
        return object.logicalPool() == pool && (object.hash() & mask) == (seed & mask);
    }

    @Override
    public int compareTo(CollectionId other) {
        int c = type.compareTo(other.type);
        if (c != 0) {
            return c;
        }
        c = Long.compareUnsigned(pool, other.pool);
        if (c != 0) {
            return c;
        }
        c = Integer.compareUnsigned(seed, other.seed);
        return c != 0 ? c : Byte.compare(shard, other.shard);
    }

    /** Ceph's own spelling, such as {@code 2.1f_head}, {@code 3.0s1_head} or {@code meta}. */
    @Override
    public String toString() {
        return switch (type) {
            case META -> "meta";
            case LEGACY_TEMP -> "temp";
            case PG, PG_TEMP ->
                String.format(
                        Locale.ROOT,
                        "%d.%x%s_%s",
                        pool,
                        seed,
                        shard == ObjectId.NO_SHARD ? "" : "s" + shard,
                        type == Type.PG ? "head" : "TEMP");
        };
    }
}
