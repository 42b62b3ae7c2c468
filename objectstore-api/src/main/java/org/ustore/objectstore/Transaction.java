package org.ustore.objectstore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Changes that become visible and durable together, in the order they were added.
 *
 * <p>Built by one thread, then handed to {@link ObjectStore#queueTransactions}, which reads it once. Maps and sets are
 * kept, not copied, and payloads are views: leave them alone until it has been queued.
 */
public final class Transaction {
    private final List<Operation> operations = new ArrayList<>();
    private final List<Runnable> onAppliedSync = new ArrayList<>();
    private final List<Runnable> onApplied = new ArrayList<>();
    private final List<Runnable> onCommit = new ArrayList<>();

    /** Adds an operation. */
    public Transaction add(Operation operation) {
        operations.add(operation);
        return this;
    }

    /** Adds the operations and callbacks of {@code other} after the own ones. */
    public Transaction append(Transaction other) {
        operations.addAll(other.operations);
        onAppliedSync.addAll(other.onAppliedSync);
        onApplied.addAll(other.onApplied);
        onCommit.addAll(other.onCommit);
        return this;
    }

    /** The operations, in order; a read-only view. */
    public List<Operation> operations() {
        return Collections.unmodifiableList(operations);
    }

    /** Runs {@code callback} in the queueing thread, once the transaction can be read. */
    public Transaction onAppliedSync(Runnable callback) {
        onAppliedSync.add(callback);
        return this;
    }

    /** Runs {@code callback} on a thread of the store, once the transaction can be read. */
    public Transaction onApplied(Runnable callback) {
        onApplied.add(callback);
        return this;
    }

    /** Runs {@code callback} on a thread of the store, once the transaction is durable. */
    public Transaction onCommit(Runnable callback) {
        onCommit.add(callback);
        return this;
    }

    /** Callbacks of the queueing thread; a read-only view. */
    public List<Runnable> appliedSyncCallbacks() {
        return Collections.unmodifiableList(onAppliedSync);
    }

    /** Callbacks for the applied state; a read-only view. */
    public List<Runnable> appliedCallbacks() {
        return Collections.unmodifiableList(onApplied);
    }

    /** Callbacks for the durable state; a read-only view. */
    public List<Runnable> commitCallbacks() {
        return Collections.unmodifiableList(onCommit);
    }

    /** Adds {@link Operation.Touch}. */
    public Transaction touch(CollectionId collection, ObjectId object) {
        return add(new Operation.Touch(collection, object));
    }

    /** Adds {@link Operation.Write}. */
    public Transaction write(CollectionId collection, ObjectId object, long offset, Payload data) {
        return add(new Operation.Write(collection, object, offset, data));
    }

    /** Adds {@link Operation.Write} of an array, which is not copied. */
    public Transaction write(CollectionId collection, ObjectId object, long offset, byte[] data) {
        return write(collection, object, offset, Payload.of(data));
    }

    /** Adds {@link Operation.Zero}. */
    public Transaction zero(CollectionId collection, ObjectId object, long offset, long length) {
        return add(new Operation.Zero(collection, object, offset, length));
    }

    /** Adds {@link Operation.Truncate}. */
    public Transaction truncate(CollectionId collection, ObjectId object, long size) {
        return add(new Operation.Truncate(collection, object, size));
    }

    /** Adds {@link Operation.Remove}. */
    public Transaction remove(CollectionId collection, ObjectId object) {
        return add(new Operation.Remove(collection, object));
    }

    /** Adds {@link Operation.SetAttributes} of one attribute. */
    public Transaction setAttribute(CollectionId collection, ObjectId object, ByteString name, ByteString value) {
        return setAttributes(collection, object, Map.of(name, value));
    }

    /** Adds {@link Operation.SetAttributes}. */
    public Transaction setAttributes(CollectionId collection, ObjectId object, Map<ByteString, ByteString> attributes) {
        return add(new Operation.SetAttributes(collection, object, attributes));
    }

    /** Adds {@link Operation.RemoveAttribute}. */
    public Transaction removeAttribute(CollectionId collection, ObjectId object, ByteString name) {
        return add(new Operation.RemoveAttribute(collection, object, name));
    }

    /** Adds {@link Operation.RemoveAllAttributes}. */
    public Transaction removeAllAttributes(CollectionId collection, ObjectId object) {
        return add(new Operation.RemoveAllAttributes(collection, object));
    }

    /** Adds {@link Operation.Clone}. */
    public Transaction clone(CollectionId collection, ObjectId source, ObjectId target) {
        return add(new Operation.Clone(collection, source, target));
    }

    /** Adds {@link Operation.CloneRange}. */
    public Transaction cloneRange(
            CollectionId collection, ObjectId source, ObjectId target, long offset, long length, long targetOffset) {
        return add(new Operation.CloneRange(collection, source, target, offset, length, targetOffset));
    }

    /** Adds {@link Operation.Rename} within one collection. */
    public Transaction rename(CollectionId collection, ObjectId source, ObjectId target) {
        return add(new Operation.Rename(collection, source, collection, target));
    }

    /** Adds {@link Operation.OmapClear}. */
    public Transaction omapClear(CollectionId collection, ObjectId object) {
        return add(new Operation.OmapClear(collection, object));
    }

    /** Adds {@link Operation.OmapSetKeys}. */
    public Transaction omapSetKeys(CollectionId collection, ObjectId object, Map<ByteString, ByteString> entries) {
        return add(new Operation.OmapSetKeys(collection, object, entries));
    }

    /** Adds {@link Operation.OmapRemoveKeys}. */
    public Transaction omapRemoveKeys(CollectionId collection, ObjectId object, Set<ByteString> keys) {
        return add(new Operation.OmapRemoveKeys(collection, object, keys));
    }

    /** Adds {@link Operation.OmapRemoveKeyRange}. */
    public Transaction omapRemoveKeyRange(CollectionId collection, ObjectId object, ByteString first, ByteString last) {
        return add(new Operation.OmapRemoveKeyRange(collection, object, first, last));
    }

    /** Adds {@link Operation.OmapSetHeader}. */
    public Transaction omapSetHeader(CollectionId collection, ObjectId object, ByteString header) {
        return add(new Operation.OmapSetHeader(collection, object, header));
    }

    /** Adds {@link Operation.MakeCollection}. */
    public Transaction makeCollection(CollectionId collection, int bits) {
        return add(new Operation.MakeCollection(collection, bits));
    }

    /** Adds {@link Operation.RemoveCollection}. */
    public Transaction removeCollection(CollectionId collection) {
        return add(new Operation.RemoveCollection(collection));
    }

    /** Adds {@link Operation.SplitCollection}. */
    public Transaction splitCollection(CollectionId collection, CollectionId child, int bits, int seed) {
        return add(new Operation.SplitCollection(collection, child, bits, seed));
    }

    /** Adds {@link Operation.MergeCollection}. */
    public Transaction mergeCollection(CollectionId collection, CollectionId target, int bits) {
        return add(new Operation.MergeCollection(collection, target, bits));
    }
}
