package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/**
 * Resolved changes: device blocks are chosen, conditions are checked, so that applying them in order to the same state
 * gives the same result at any time.
 *
 * <p>Those that an implementation leaves out mean nothing to it. The changes of objects concern the object last selected, which exists unless said otherwise.
 */
interface Changes {
    /** How the blocks of {@link #blocks} came about; the code is the one in the log. */
    enum Kind {
        /** Newly allocated; the data is in the record and goes to its place with the next checkpoint. */
        INLINE(0),
        /** Newly allocated; the data is on the device already. */
        REDIRECTED(1),
        /** In use by another object, or elsewhere in this one, already. */
        SHARED(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /** Names the object that follows; it need not exist. Renames, splits, merges and removals of collections end it. */
    default void select(CollectionId collection, ObjectId object) {}

    /** Creates the object, which does not exist. */
    default void create() {}

    /** Removes the object. */
    default void remove() {}

    /**
     * Puts blocks into the object's map, in place of those there, and sets its size.
     *
     * @param first the object's block that the first of them becomes
     * @param blocks device blocks
     * @param checksums CRC-32C of each
     * @param size new size in bytes
     * @param data their content from {@code dataOffset} on; used for {@link Kind#INLINE} alone
     */
    default void blocks(
            int first, int[] blocks, int[] checksums, long size, Kind kind, MemorySegment data, long dataOffset) {}

    /** Makes holes of {@code count} blocks from {@code first} on and sets the size. */
    default void punch(int first, int count, long size) {}

    /** Sets attributes. */
    default void setAttributes(Map<ByteString, ByteString> attributes) {}

    /** Removes an attribute, if there. */
    default void removeAttribute(ByteString name) {}

    /** Removes all attributes. */
    default void removeAllAttributes() {}

    /** Makes {@code target} of the same collection, which does not exist, a copy. */
    default void cloneTo(ObjectId target) {}

    /** Gives the object another name, which is not taken. */
    default void rename(CollectionId collection, ObjectId target) {}

    /** Sets omap entries. */
    default void omapSet(Map<ByteString, ByteString> entries) {}

    /** Removes omap entries, where there. */
    default void omapRemove(Set<ByteString> keys) {}

    /** Removes omap entries from {@code first} up to and without {@code last}. */
    default void omapRemoveRange(ByteString first, ByteString last) {}

    /** Removes all omap entries and the header. */
    default void omapClear() {}

    /** Sets the omap header. */
    default void omapSetHeader(ByteString header) {}

    /** Adds a collection. */
    default void makeCollection(CollectionId collection, int bits) {}

    /** Removes an empty collection. */
    default void removeCollection(CollectionId collection) {}

    /** Sets a collection's bits. */
    default void setBits(CollectionId collection, int bits) {}

    /** Moves the objects whose hash ends in {@code seed} to {@code child}; both have {@code bits} bits afterwards. */
    default void split(CollectionId collection, CollectionId child, int bits, int seed) {}

    /** Moves all objects to {@code target}, which has {@code bits} bits afterwards, and removes the collection. */
    default void merge(CollectionId collection, CollectionId target, int bits) {}
}
