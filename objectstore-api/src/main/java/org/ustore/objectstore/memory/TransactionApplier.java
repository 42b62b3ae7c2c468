package org.ustore.objectstore.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/**
 * Carries out operations on {@link Contents}, under the store's lock. When it throws, what was done so far is still to
 * be rolled back.
 */
final class TransactionApplier {
    private final Contents contents;

    TransactionApplier(Contents contents) {
        this.contents = contents;
    }

    void apply(Transaction transaction) {
        int index = 0;
        for (Operation operation : transaction.operations()) {
            try {
                apply(operation);
            } catch (ObjectStoreException e) {
                throw new ObjectStoreException(
                        e.code(),
                        "operation " + index + " ("
                                + operation.getClass().getSimpleName() + " in " + operation.collection() + "): "
                                + e.getMessage(),
                        e);
            }
            index++;
        }
    }

    private void apply(Operation operation) {
        if (!(operation instanceof Operation.MakeCollection)) {
            requireCollection(operation.collection());
        }
        switch (operation) {
            case Operation.Touch op -> create(op.collection(), op.object(), old -> old);
            case Operation.Write op -> {
                requireSize(op.offset(), op.data().sizeBytes());
                create(op.collection(), op.object(), old -> old.write(op.offset(), op.data()));
            }
            case Operation.Zero op -> {
                requireSize(op.offset(), op.length());
                create(op.collection(), op.object(), old -> old.zero(op.offset(), op.length()));
            }
            case Operation.Truncate op -> {
                requireSize(0, op.size());
                change(op.collection(), op.object(), old -> old.truncate(op.size()));
            }
            case Operation.Remove op -> remove(op.collection(), op.object());
            case Operation.SetAttributes op ->
                change(op.collection(), op.object(), old -> old.setAttributes(op.attributes()));
            case Operation.RemoveAttribute op ->
                change(op.collection(), op.object(), old -> old.removeAttribute(op.name()));
            case Operation.RemoveAllAttributes op ->
                change(op.collection(), op.object(), StoredObject::removeAllAttributes);
            case Operation.Clone op -> clone(op);
            case Operation.CloneRange op -> cloneRange(op);
            case Operation.Rename op -> rename(op);
            case Operation.OmapClear op -> change(op.collection(), op.object(), StoredObject::omapClear);
            case Operation.OmapSetKeys op -> change(op.collection(), op.object(), old -> old.omapSetKeys(op.entries()));
            case Operation.OmapRemoveKeys op ->
                change(op.collection(), op.object(), old -> old.omapRemoveKeys(op.keys()));
            case Operation.OmapRemoveKeyRange op ->
                change(op.collection(), op.object(), old -> old.omapRemoveKeyRange(op.first(), op.last()));
            case Operation.OmapSetHeader op ->
                change(op.collection(), op.object(), old -> old.omapSetHeader(op.header()));
            case Operation.SetAllocationHint op -> change(op.collection(), op.object(), old -> old);
            case Operation.MakeCollection op -> makeCollection(op);
            case Operation.RemoveCollection op -> removeCollection(op);
            case Operation.SetCollectionBits op -> {
                requireBits(op.bits());
                contents.setBits(op.collection(), op.bits());
            }
            case Operation.SplitCollection op -> split(op);
            case Operation.MergeCollection op -> merge(op);
        }
    }

    private void create(CollectionId collection, ObjectId object, UnaryOperator<StoredObject> change) {
        requireMember(collection, object);
        StoredObject old = contents.get(collection, object);
        contents.put(collection, object, change.apply(old == null ? StoredObject.NEW : old));
    }

    private void change(CollectionId collection, ObjectId object, UnaryOperator<StoredObject> change) {
        StoredObject old = contents.get(collection, object);
        if (old != null) {
            contents.put(collection, object, change.apply(old));
        }
    }

    private void remove(CollectionId collection, ObjectId object) {
        if (contents.get(collection, object) != null) {
            contents.put(collection, object, null);
        }
    }

    private void clone(Operation.Clone op) {
        if (op.source().hash() != op.target().hash()) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "clone of " + op.source() + " to " + op.target() + ", which has another hash");
        }
        StoredObject source = requireObject(op.collection(), op.source());
        create(op.collection(), op.target(), old -> source);
    }

    private void cloneRange(Operation.CloneRange op) {
        StoredObject source = requireObject(op.collection(), op.source());
        requireNotNegative(op.offset(), op.length(), op.targetOffset());
        long length = Math.clamp(source.sizeBytes() - op.offset(), 0, op.length());
        requireSize(op.targetOffset(), length);
        create(op.collection(), op.target(), old -> old.cloneRange(source, op.offset(), length, op.targetOffset()));
    }

    private void rename(Operation.Rename op) {
        requireCollection(op.targetCollection());
        StoredObject source = contents.get(op.collection(), op.source());
        if (source == null) {
            return;
        }
        if (contents.get(op.targetCollection(), op.target()) != null) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST,
                    "rename of " + op.source() + ": " + op.target() + " exists in " + op.targetCollection());
        }
        requireMember(op.targetCollection(), op.target());
        contents.put(op.collection(), op.source(), null);
        contents.put(op.targetCollection(), op.target(), source);
    }

    private void makeCollection(Operation.MakeCollection op) {
        requireBits(op.bits());
        if (contents.contains(op.collection())) {
            throw new ObjectStoreException(ErrorCode.EEXIST, "collection " + op.collection() + " exists");
        }
        contents.makeCollection(op.collection(), op.bits());
    }

    private void removeCollection(Operation.RemoveCollection op) {
        int count = contents.objects(op.collection()).size();
        if (count > 0) {
            throw new ObjectStoreException(
                    ErrorCode.ENOTEMPTY, "collection " + op.collection() + " holds " + count + " objects");
        }
        contents.removeCollection(op.collection());
    }

    private void split(Operation.SplitCollection op) {
        requireBits(op.bits());
        requireCollection(op.child());
        requireOther(op.collection(), op.child());
        int mask = mask(op.bits());
        List<ObjectId> moving = new ArrayList<>();
        for (ObjectId object : contents.objects(op.collection()).keySet()) {
            if ((object.hash() & mask) == (op.seed() & mask)) {
                moving.add(object);
            }
        }
        contents.move(op.collection(), moving, op.child());
        contents.setBits(op.collection(), op.bits());
        contents.setBits(op.child(), op.bits());
    }

    private void merge(Operation.MergeCollection op) {
        requireBits(op.bits());
        requireCollection(op.target());
        requireOther(op.collection(), op.target());
        contents.move(
                op.collection(), List.copyOf(contents.objects(op.collection()).keySet()), op.target());
        contents.setBits(op.target(), op.bits());
        contents.removeCollection(op.collection());
    }

    private static int mask(int bits) {
        return bits == 32 ? -1 : (1 << bits) - 1;
    }

    private void requireCollection(CollectionId id) {
        if (!contents.contains(id)) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no collection " + id);
        }
    }

    private static void requireOther(CollectionId one, CollectionId other) {
        if (one.equals(other)) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection " + one + " named as its own target");
        }
    }

    private StoredObject requireObject(CollectionId collection, ObjectId object) {
        StoredObject found = contents.get(collection, object);
        if (found == null) {
            throw new ObjectStoreException(ErrorCode.ENOENT, "no object " + object + " in " + collection);
        }
        return found;
    }

    private void requireMember(CollectionId collection, ObjectId object) {
        int bits = contents.bits(collection);
        if (!collection.contains(object, bits)) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "object " + object + " does not belong in " + collection + " of " + bits + " bits");
        }
    }

    private static void requireBits(int bits) {
        if (bits < 0 || bits > 32) {
            throw new ObjectStoreException(ErrorCode.EINVAL, "collection bits " + bits + ", expected 0 to 32");
        }
    }

    private static void requireNotNegative(long... values) {
        for (long value : values) {
            if (value < 0) {
                throw new ObjectStoreException(ErrorCode.EINVAL, "negative offset or length " + value);
            }
        }
    }

    private static void requireSize(long offset, long length) {
        requireNotNegative(offset, length);
        if (offset > ObjectStore.MAX_OBJECT_BYTES - length) {
            throw new ObjectStoreException(
                    ErrorCode.E2BIG,
                    "offset=" + offset + " length=" + length + " ends past the largest object size "
                            + ObjectStore.MAX_OBJECT_BYTES);
        }
    }
}
