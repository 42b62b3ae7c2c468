package org.ustore.objectstore;

import java.util.Map;
import java.util.Set;

/**
 * One change within a {@link Transaction}. All numbers are bytes unless said otherwise and not negative.
 *
 * <p>Unless an operation says otherwise, it does nothing if the object it changes does not exist. Creating operations
 * are {@link Touch}, {@link Write}, {@link Zero} and the targets of clones and renames.
 */
public sealed interface Operation {

    /** The collection the operation works in. */
    CollectionId collection();

    /** Creates the object if it does not exist; leaves an existing one as it is. */
    record Touch(CollectionId collection, ObjectId object) implements Operation {}

    /** Writes {@code data} at {@code offset}; the object grows as needed. No data creates the object and changes no size. */
    record Write(CollectionId collection, ObjectId object, long offset, Payload data) implements Operation {}

    /** Makes a range read as zeros; past the end the object grows. Length 0 creates the object and changes no size. */
    record Zero(CollectionId collection, ObjectId object, long offset, long length) implements Operation {}

    /** Sets the size; what is added reads as zeros. */
    record Truncate(CollectionId collection, ObjectId object, long size) implements Operation {}

    /** Removes the object with its attributes and omap. */
    record Remove(CollectionId collection, ObjectId object) implements Operation {}

    /** Sets these attributes and keeps the others. */
    record SetAttributes(CollectionId collection, ObjectId object, Map<ByteString, ByteString> attributes)
            implements Operation {}

    /** Removes one attribute if it is there. */
    record RemoveAttribute(CollectionId collection, ObjectId object, ByteString name) implements Operation {}

    /** Removes all attributes. */
    record RemoveAllAttributes(CollectionId collection, ObjectId object) implements Operation {}

    /**
     * Makes {@code target} a copy of {@code source}: data, attributes, omap keys and header, in place of all the target
     * had. Both have the same hash. Fails with {@link ErrorCode#ENOENT} without a source.
     */
    record Clone(CollectionId collection, ObjectId source, ObjectId target) implements Operation {}

    /**
     * Copies a range of data, holes included, growing the target to {@code targetOffset + length}; the range is clipped
     * to the source's end. Fails with {@link ErrorCode#ENOENT} without a source; creates the target.
     */
    record CloneRange(
            CollectionId collection, ObjectId source, ObjectId target, long offset, long length, long targetOffset)
            implements Operation {}

    /** Renames an object, also into another collection. Fails with {@link ErrorCode#EEXIST} if the target exists. */
    record Rename(CollectionId collection, ObjectId source, CollectionId targetCollection, ObjectId target)
            implements Operation {}

    /** Removes the omap header and all keys. */
    record OmapClear(CollectionId collection, ObjectId object) implements Operation {}

    /** Sets these keys and keeps the others. */
    record OmapSetKeys(CollectionId collection, ObjectId object, Map<ByteString, ByteString> entries)
            implements Operation {}

    /** Removes these keys where they exist. */
    record OmapRemoveKeys(CollectionId collection, ObjectId object, Set<ByteString> keys) implements Operation {}

    /** Removes the keys from {@code first} up to and without {@code last}; none unless first is less than last. */
    record OmapRemoveKeyRange(CollectionId collection, ObjectId object, ByteString first, ByteString last)
            implements Operation {}

    /** Sets the omap header; empty removes it. */
    record OmapSetHeader(CollectionId collection, ObjectId object, ByteString header) implements Operation {}

    /** Says what sizes to expect; advice, may be ignored, never creates. */
    record SetAllocationHint(
            CollectionId collection, ObjectId object, long expectedObjectSize, long expectedWriteSize, int flags)
            implements Operation {}

    /** Creates the collection. Fails with {@link ErrorCode#EEXIST} if it exists. {@code bits}: 0 to 32. */
    record MakeCollection(CollectionId collection, int bits) implements Operation {}

    /**
     * Removes the collection. Fails with {@link ErrorCode#ENOENT} if it does not exist, {@link ErrorCode#ENOTEMPTY} if it
     * holds objects.
     */
    record RemoveCollection(CollectionId collection) implements Operation {}

    /** Sets the number of hash bits that define the collection, without moving objects. */
    record SetCollectionBits(CollectionId collection, int bits) implements Operation {}

    /**
     * Moves every object whose low {@code bits} bits of the hash equal {@code seed} to {@code child}, which exists;
     * afterwards both have {@code bits} bits.
     */
    record SplitCollection(CollectionId collection, CollectionId child, int bits, int seed) implements Operation {}

    /** Moves every object to {@code target}, which then has {@code bits} bits, and removes the collection. */
    record MergeCollection(CollectionId collection, CollectionId target, int bits) implements Operation {}
}
