package org.ustore.objectstore;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A handle of one collection: names it in {@link ObjectStore#queueTransactions} and reads its objects.
 *
 * <p>There is one handle per collection for as long as the store is mounted; it may exist before the collection does
 * (see {@link ObjectStore#createNewCollection}), and then reads as empty. All methods may be called by any thread and
 * see every transaction whose {@code queueTransactions} call has returned, durable or not.
 *
 * <p>Unless said otherwise a method that names an object throws {@link ErrorCode#ENOENT} if there is no such object and
 * {@link ErrorCode#EIO} if it cannot be read back as it was written.
 */
public interface Collection {
    /** The name. */
    CollectionId id();

    /** Number of low bits of the hash that its objects share with the PG's seed; 0 to 32. */
    int bits();

    /** Whether it holds no object, temporary ones included. True if it does not exist yet. */
    boolean isEmpty();

    /**
     * Lists objects in ascending order.
     *
     * @param start first candidate; need not exist
     * @param end where to stop, exclusive; need not exist
     * @param max most objects to return, 0 or more
     */
    Listing list(ObjectId start, ObjectId end, int max);

    /** Whether the object exists. */
    boolean exists(ObjectId object);

    /** The object's size. */
    ObjectStat stat(ObjectId object);

    /**
     * Reads data; holes are zeros. Clipped to the object's end; 0 bytes at or past it. Offset 0 with length 0 reads the
     * whole object.
     *
     * @param offset first byte, 0 or more
     * @param length number of bytes, 0 or more
     * @param out where the bytes go
     * @return number of bytes read
     */
    long read(ObjectId object, long offset, long length, BufferAllocator out);

    /** As {@link #read(ObjectId, long, long, BufferAllocator)}, into an array. */
    default byte[] read(ObjectId object, long offset, long length) {
        byte[][] result = new byte[1][];
        read(object, offset, length, bytes -> {
            result[0] = new byte[Math.toIntExact(bytes)];
            return MemorySegment.ofArray(result[0]);
        });
        return result[0];
    }

    /** Reads several ranges, clipped to the object's end, one after the other into one buffer; returns their total. */
    long read(ObjectId object, List<Extent> extents, BufferAllocator out);

    /**
     * The parts of the range that may hold data, ascending, clipped to the range and the object's end; the rest reads as
     * zeros.
     */
    List<Extent> fiemap(ObjectId object, long offset, long length);

    /**
     * An attribute.
     *
     * @throws ObjectStoreException {@link ErrorCode#ENODATA} if the object has none of that name
     */
    ByteString attribute(ObjectId object, ByteString name);

    /** All attributes. */
    Map<ByteString, ByteString> attributes(ObjectId object);

    /** Header and entries. */
    Omap omap(ObjectId object);

    /** The header, empty if there is none. */
    ByteString omapHeader(ObjectId object);

    /** All keys. */
    SortedSet<ByteString> omapKeys(ObjectId object);

    /** The entries with these keys; unknown ones are left out. */
    SortedMap<ByteString, ByteString> omapValues(ObjectId object, Set<ByteString> keys);

    /** Those of the keys that exist. */
    SortedSet<ByteString> omapExistingKeys(ObjectId object, Set<ByteString> keys);

    /** An iterator over the omap as it is now, or null if there is no such object. */
    @Nullable OmapIterator omapIterator(ObjectId object);

    /** Waits until all that was queued on the collection can be read. */
    void flush();

    /**
     * Whether all that was queued on this collection so far is durable. If not, {@code whenDurable} runs once it is, on
     * a thread of the store, after the commit callbacks before it; if so, it never runs.
     */
    boolean flushCommit(Runnable whenDurable);

    /**
     * Takes over the options of the pool.
     *
     * @throws ObjectStoreException {@link ErrorCode#EOPNOTSUPP} if the store has no such options
     */
    void setOptions(PoolOptions options);
}
