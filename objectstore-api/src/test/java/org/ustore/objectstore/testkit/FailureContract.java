package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.assertCode;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/**
 * Transactions that cannot be applied. Each is queued behind operations that could be, and after it the store must
 * refuse all work, and hold after a new mount exactly what it held before.
 */
@Tag(ObjectStoreContract.FAILURE)
interface FailureContract extends StoreUnderTest {

    private static ObjectId kept() {
        return object("kept");
    }

    private void assertFails(ErrorCode code, Transaction failing) {
        assertFailsWith(code, failing);
        assertThat(StoreUnderTest.listAll(pg(), 10)).containsExactly(kept());
    }

    private void assertFailsWith(ErrorCode code, Transaction failing) {
        apply(new Transaction()
                .write(PG, kept(), 0, pattern(1, 5000))
                .setAttributes(PG, kept(), entries("a", "old"))
                .omapSetKeys(PG, kept(), entries("k", "old")));
        List<CollectionId> collections = store().listCollections();
        Collection handle = pg();
        Transaction before = new Transaction()
                .write(PG, kept(), 100, pattern(2, 50_000))
                .setAttributes(PG, kept(), entries("a", "new"))
                .omapSetKeys(PG, kept(), entries("k", "new", "l", "new"))
                .touch(PG, object("new"));
        assertCode(code, () -> store().queueTransactions(handle, List.of(before, failing)));
        assertCode(
                ErrorCode.ESHUTDOWN, () -> store().queueTransaction(handle, new Transaction().touch(PG, object("x"))));
        assertCode(ErrorCode.ESHUTDOWN, () -> handle.exists(kept()));
        remount();
        assertThat(store().listCollections()).isEqualTo(collections);
        assertThat(readAll(kept())).isEqualTo(pattern(1, 5000));
        assertThat(pg().attributes(kept())).isEqualTo(entries("a", "old"));
        assertThat(pg().omap(kept()).entries()).isEqualTo(entries("k", "old"));
        assertThat(pg().exists(object("new"))).isFalse();
    }

    @Test
    @DisplayName("C5.clone-missing: ENOENT")
    default void cloneOfMissing() {
        assertFails(
                ErrorCode.ENOENT,
                new Transaction().clone(PG, object("missing"), object("missing").withSnap(1)));
    }

    @Test
    @DisplayName("C5.clone-other-hash: EINVAL")
    default void cloneToOtherHash() {
        assertFails(
                ErrorCode.EINVAL,
                new Transaction().touch(PG, object("source")).clone(PG, object("source"), object("target")));
    }

    @Test
    @DisplayName("C5.clone-range-missing: ENOENT, of length 0 too")
    default void cloneRangeOfMissing() {
        assertFails(ErrorCode.ENOENT, new Transaction().cloneRange(PG, object("missing"), object("target"), 0, 0, 0));
    }

    @Test
    @DisplayName("C5.rename-existing: EEXIST if source and target exist")
    default void renameToExisting() {
        assertFails(
                ErrorCode.EEXIST,
                new Transaction()
                        .touch(PG, object("source"))
                        .touch(PG, object("target"))
                        .rename(PG, object("source"), object("target")));
    }

    @Test
    @DisplayName("C6.make-existing: EEXIST")
    default void makeExistingCollection() {
        assertFails(ErrorCode.EEXIST, new Transaction().makeCollection(PG, 0));
    }

    @Test
    @DisplayName("C6.remove-missing: ENOENT")
    default void removeMissingCollection() {
        assertFails(ErrorCode.ENOENT, new Transaction().removeCollection(CollectionId.pg(5, 0)));
    }

    @Test
    @DisplayName("C6.remove-non-empty: ENOTEMPTY")
    default void removeFilledCollection() {
        assertFails(ErrorCode.ENOTEMPTY, new Transaction().removeCollection(PG));
    }

    @Test
    @DisplayName("C6.remove-just-filled: ENOTEMPTY for a collection filled in the same transaction")
    default void removeJustFilledCollection() {
        CollectionId id = CollectionId.pg(5, 0);
        make(id, 0);
        assertFails(
                ErrorCode.ENOTEMPTY,
                new Transaction().touch(id, ObjectId.head(5, 1, bytes("o"))).removeCollection(id));
        assertThat(open(id).isEmpty()).isTrue();
    }

    @Test
    @DisplayName("C6.ops-on-missing: an operation on a missing collection is ENOENT")
    default void operationOnMissingCollection() {
        CollectionId id = CollectionId.pg(5, 0);
        assertFails(ErrorCode.ENOENT, new Transaction().write(id, ObjectId.head(5, 1, bytes("o")), 0, pattern(1, 10)));
    }

    @Test
    @DisplayName("C6.made-and-failed: a collection made by a transaction that fails does not exist")
    default void collectionOfFailedTransaction() {
        CollectionId id = CollectionId.pg(5, 0);
        assertFails(
                ErrorCode.ENOENT,
                new Transaction()
                        .makeCollection(id, 0)
                        .touch(id, ObjectId.head(5, 1, bytes("o")))
                        .clone(PG, object("missing"), object("missing").withSnap(1)));
        assertThat(store().collectionExists(id)).isFalse();
    }

    @Test
    @DisplayName("C6.split-and-failed: a split in a transaction that fails has not happened")
    default void splitOfFailedTransaction() {
        CollectionId parent = CollectionId.pg(5, 0);
        CollectionId child = CollectionId.pg(5, 1);
        Collection handle = make(parent, 0);
        ObjectId moves = ObjectId.head(5, 1, bytes("moves"));
        store().queueTransaction(handle, new Transaction().write(parent, moves, 0, pattern(7, 70_000)));
        assertFails(
                ErrorCode.ENOENT,
                new Transaction()
                        .makeCollection(child, 1)
                        .splitCollection(parent, child, 1, 1)
                        .write(child, moves, 5, pattern(8, 70_000))
                        .removeCollection(CollectionId.pg(6, 0)));
        assertThat(open(parent).bits()).isZero();
        assertThat(open(parent).read(moves, 0, 0)).isEqualTo(pattern(7, 70_000));
    }

    @Test
    @DisplayName("C6.outside-pg: an object whose hash does not belong to the PG cannot be made in it: EINVAL")
    default void objectOutsideCollection() {
        CollectionId id = CollectionId.pg(5, 1);
        make(id, 2);
        assertFails(ErrorCode.EINVAL, new Transaction().touch(id, ObjectId.head(5, 2, bytes("o"))));
    }

    @Test
    @DisplayName("C6.bits-range: more than 32 bits are EINVAL")
    default void bitsOutOfRange() {
        assertFails(ErrorCode.EINVAL, new Transaction().makeCollection(CollectionId.pg(5, 0), 33));
    }

    @Test
    @DisplayName("C6.split-missing-child: ENOENT")
    default void splitToMissing() {
        assertFails(ErrorCode.ENOENT, new Transaction().splitCollection(PG, CollectionId.pg(1, 1), 1, 1));
    }

    @Test
    @DisplayName("C2.too-big-write: a write that ends past the largest size is E2BIG")
    default void writeTooBig() {
        assertFails(
                ErrorCode.E2BIG,
                new Transaction().write(PG, object("big"), ObjectStore.MAX_OBJECT_BYTES - 5, pattern(1, 6)));
    }

    @Test
    @DisplayName("C2.too-big-zero: a zero that ends past the largest size is E2BIG")
    default void zeroTooBig() {
        assertFails(ErrorCode.E2BIG, new Transaction().zero(PG, object("big"), Long.MAX_VALUE - 5, 10));
    }

    @Test
    @DisplayName("C2.too-big-truncate: E2BIG for an existing object")
    default void truncateTooBig() {
        assertFails(
                ErrorCode.E2BIG,
                new Transaction()
                        .touch(PG, object("big"))
                        .truncate(PG, object("big"), ObjectStore.MAX_OBJECT_BYTES + 1));
    }

    @Test
    @DisplayName("API.negative: negative offsets and sizes are EINVAL")
    default void negativeOffset() {
        assertFails(ErrorCode.EINVAL, new Transaction().write(PG, object("o"), -1, pattern(1, 6)));
    }

    @Test
    @DisplayName("API.rename-to-missing-collection: ENOENT")
    default void renameToMissingCollection() {
        assertFails(
                ErrorCode.ENOENT,
                new Transaction()
                        .touch(PG, object("o"))
                        .add(new Operation.Rename(PG, object("o"), CollectionId.pg(5, 0), object("o"))));
    }

    @Test
    @DisplayName("API.failure-keeps-earlier: what was queued before a failure becomes durable and calls back")
    default void earlierTransactionsCommit() {
        CountDownLatch done = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            apply(new Transaction()
                    .write(PG, object("o" + i), 0, pattern(i, 5000))
                    .onCommit(done::countDown));
        }
        assertCode(
                ErrorCode.ENOENT,
                () -> apply(new Transaction()
                        .clone(PG, object("missing"), object("missing").withSnap(1))));
        StoreUnderTest.await(done);
        remount();
        for (int i = 0; i < 20; i++) {
            assertThat(readAll(object("o" + i))).isEqualTo(pattern(i, 5000));
        }
    }

    @Test
    @DisplayName("API.create-new-existing: a new handle for an existing collection is EEXIST, and the store goes on")
    default void createNewOfExisting() {
        assertCode(ErrorCode.EEXIST, () -> store().createNewCollection(PG));
        apply(new Transaction().touch(PG, object("o")));
        assertThat(pg().exists(object("o"))).isTrue();
    }
}
