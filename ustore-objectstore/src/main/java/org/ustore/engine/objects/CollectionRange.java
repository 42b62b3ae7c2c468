package org.ustore.engine.objects;

import java.util.List;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/**
 * Which keys a collection's objects have: those from {@code from} on and before {@code to}.
 *
 * <p>As a hash is stored with its bits reversed, the objects of a PG of any number of bits lie together, so do those of
 * its two halves; a split and a merge move nothing.
 */
final class CollectionRange {
    private static final long TEMPORARY = -2;

    private final byte[] from;
    private final byte[] to;

    private CollectionRange(byte[] from, byte[] to) {
        this.from = from;
        this.to = to;
    }

    /** The least key that may be one of them; not to be changed. */
    byte[] from() {
        return from;
    }

    /** The first key behind them; not to be changed. */
    byte[] to() {
        return to;
    }

    /** The ranges of a collection, ascending: temporary objects come first. */
    static List<CollectionRange> of(CollectionId id, int bits) {
        if (id.isMeta()) {
            return List.of(range(id.shard(), ObjectId.POOL_META, 0, 0));
        }
        return List.of(
                range(id.shard(), TEMPORARY - id.pool(), id.seed(), bits),
                range(id.shard(), id.pool(), id.seed(), bits));
    }

    private static CollectionRange range(byte shard, long pool, int seed, int bits) {
        int mask = bits == 32 ? -1 : (1 << bits) - 1;
        long start = Integer.toUnsignedLong(Integer.reverse(seed & mask));
        return new CollectionRange(
                Keys.bound(shard, pool, start), Keys.bound(shard, pool, start + (1L << (32 - bits))));
    }

    /** Whether an object is one of a collection's. */
    static boolean contains(CollectionId id, int bits, ObjectId object) {
        return object.shard() == id.shard() && !object.hobjectMax() && !object.max() && id.contains(object, bits);
    }
}
