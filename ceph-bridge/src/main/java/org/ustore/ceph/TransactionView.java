package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Transaction;

/**
 * One transaction of the OSD, read in place.
 *
 * <p>The shim describes it by ten numbers of 8 bytes: address, length and count of the operations; address and count of
 * an array of (address, length) pairs, the data; address and count of the collection table; address, count and length of
 * the object table. An entry of the collection table is u32 index, u32 0, collection; one of the object table is u32
 * index, u32 length, object, zeros up to a multiple of 8.
 */
final class TransactionView {
    /** Size of a description, in bytes. */
    static final int DESCRIPTOR_BYTES = 80;

    /** More names than any transaction has; a larger index is a fault. */
    private static final int INDEX_LIMIT = 1 << 20;

    private static final int OP_BYTES = 72;
    private static final int COLLECTION_ENTRY_BYTES = 8 + NeutralForm.COLLECTION_BYTES;

    private TransactionView() {}

    /** Decodes the transaction described at {@code address} of the process's memory. */
    static Transaction decode(long address) {
        MemorySegment d = Natives.MEMORY.asSlice(address, DESCRIPTOR_BYTES);
        long opCount = d.get(JAVA_LONG, 16);
        Transaction transaction = TransactionDecoder.decode(
                segment(d.get(JAVA_LONG, 0), d.get(JAVA_LONG, 8)),
                pieces(d.get(JAVA_LONG, 24), d.get(JAVA_LONG, 32)),
                collections(d.get(JAVA_LONG, 40), d.get(JAVA_LONG, 48)),
                objects(d.get(JAVA_LONG, 56), d.get(JAVA_LONG, 64), d.get(JAVA_LONG, 72)));
        if (d.get(JAVA_LONG, 8) != opCount * OP_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "transaction with ops=" + opCount + " has " + d.get(JAVA_LONG, 8) + " bytes of them, expected "
                            + opCount * OP_BYTES);
        }
        return transaction;
    }

    private static MemorySegment segment(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private static MemorySegment[] pieces(long address, long count) {
        MemorySegment[] pieces = new MemorySegment[Math.toIntExact(count)];
        for (int i = 0; i < pieces.length; i++) {
            long at = address + 16L * i;
            pieces[i] = segment(Natives.MEMORY.get(JAVA_LONG, at), Natives.MEMORY.get(JAVA_LONG, at + 8));
        }
        return pieces;
    }

    private static @Nullable CollectionId[] collections(long address, long count) {
        MemorySegment table = segment(address, count * COLLECTION_ENTRY_BYTES);
        int length = 0;
        for (long at = 0; at < table.byteSize(); at += COLLECTION_ENTRY_BYTES) {
            length = Math.max(length, index(table, at) + 1);
        }
        @Nullable CollectionId[] collections = new CollectionId[length];
        for (long at = 0; at < table.byteSize(); at += COLLECTION_ENTRY_BYTES) {
            collections[index(table, at)] = NeutralForm.collection(table, at + 8);
        }
        return collections;
    }

    private static @Nullable ObjectId[] objects(long address, long count, long bytes) {
        MemorySegment table = segment(address, bytes);
        int length = 0;
        long at = 0;
        for (long i = 0; i < count; i++) {
            length = Math.max(length, index(table, at) + 1);
            at = afterObject(table, at);
        }
        @Nullable ObjectId[] objects = new ObjectId[length];
        at = 0;
        for (long i = 0; i < count; i++) {
            objects[index(table, at)] = NeutralForm.object(table, at + 8);
            at = afterObject(table, at);
        }
        return objects;
    }

    private static long afterObject(MemorySegment table, long at) {
        return at + 8 + ((table.get(JAVA_INT_UNALIGNED, at + 4) + 7L) & ~7L);
    }

    private static int index(MemorySegment table, long at) {
        int index = table.get(JAVA_INT_UNALIGNED, at);
        if (index < 0 || index >= INDEX_LIMIT) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "index=" + Integer.toUnsignedString(index) + " of a transaction's name, limit " + INDEX_LIMIT);
        }
        return index;
    }
}
