package org.ustore.objectstore.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.PoolOptions;
import org.ustore.objectstore.Transaction;

/** What the reference store does beyond the contract that all stores share. */
final class MemoryObjectStoreTest {
    private static final CollectionId PG = CollectionId.pg(1, 0);
    private static final ObjectId O = ObjectId.head(1, 5, ByteString.of("o"));

    private final MemoryObjectStore store = new MemoryObjectStore(10 * 4096);
    private Collection pg;

    @BeforeEach
    void setUp() {
        store.mkfs(UUID.randomUUID());
        store.mount();
        pg = store.createNewCollection(PG);
        store.queueTransaction(pg, new Transaction().makeCollection(PG, 0));
    }

    private static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void whatDoesNotFitIsRefusedWholeAndTheStoreGoesOn() {
        store.queueTransaction(pg, new Transaction().write(PG, O, 0, new byte[9 * 4096]));
        Transaction tooMuch = new Transaction()
                .setAttribute(PG, O, ByteString.of("a"), ByteString.EMPTY)
                .write(PG, O, 9 * 4096, new byte[2 * 4096]);
        assertCode(ErrorCode.ENOSPC, () -> store.queueTransaction(pg, tooMuch));
        assertThat(pg.stat(O).sizeBytes()).isEqualTo(9 * 4096);
        assertThat(pg.attributes(O)).isEmpty();
        assertThat(store.statistics().available()).isEqualTo(4096);
        store.queueTransaction(pg, new Transaction().remove(PG, O));
        assertThat(store.statistics().available()).isEqualTo(10 * 4096);
        store.queueTransaction(pg, new Transaction().write(PG, O, 0, new byte[10 * 4096]));
    }

    @Test
    void poolsAreCountedApartTemporaryObjectsIncluded() {
        ObjectId temporary = ObjectId.head(-3, 5, ByteString.of("t"));
        store.queueTransaction(
                pg, new Transaction().write(PG, O, 0, new byte[100]).write(PG, temporary, 0, new byte[10]));
        assertThat(store.poolStatistics(1).dataStored()).isEqualTo(110);
        assertThat(store.poolStatistics(1).allocated()).isEqualTo(2 * 4096);
        assertThat(store.poolStatistics(2).dataStored()).isZero();
    }

    @Test
    void fsckFindsObjectsThatDoNotBelong() {
        store.queueTransaction(pg, new Transaction().touch(PG, O).add(new Operation.SetCollectionBits(PG, 2)));
        assertCode(ErrorCode.EBUSY, () -> store.fsck(true));
        store.umount();
        FsckReport report = store.fsck(true);
        assertThat(report.clean()).isFalse();
        assertThat(report.objectsChecked()).isEqualTo(1);
        assertThat(report.errors()).singleElement().asString().contains(O.toString(), PG.toString(), "2 bits");
    }

    @Test
    void mountAndUmountWantTheirOrder() {
        assertCode(ErrorCode.EBUSY, store::mount);
        store.umount();
        assertCode(ErrorCode.ESHUTDOWN, store::umount);
        assertCode(ErrorCode.ENOENT, new MemoryObjectStore()::mount);
    }

    @Test
    void umountFromACallbackIsRefusedRatherThanWaitedFor() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        store.queueTransaction(pg, new Transaction().onCommit(() -> {
                    try {
                        store.umount();
                    } catch (ObjectStoreException e) {
                        thrown.set(e);
                    }
                }));
        store.umount();
        assertThat(thrown.get()).hasMessageContaining("EBUSY");
    }

    @Test
    void handlesOfOtherStoresAndMountsAreRefused() {
        MemoryObjectStore other = new MemoryObjectStore();
        other.mkfs(UUID.randomUUID());
        other.mount();
        Collection foreign = other.createNewCollection(PG);
        assertCode(ErrorCode.EINVAL, () -> store.queueTransaction(foreign, new Transaction()));
        store.umount();
        store.mount();
        assertCode(ErrorCode.ESHUTDOWN, () -> store.queueTransaction(pg, new Transaction()));
        assertCode(ErrorCode.ESHUTDOWN, () -> pg.exists(O));
        other.umount();
    }

    @Test
    void thereAreNoPoolOptions() {
        assertCode(ErrorCode.EOPNOTSUPP, () -> pg.setOptions(new PoolOptions("force", "zstd", 0.5, null)));
    }

    @Test
    void errorsNameTheOperation() {
        Transaction failing = new Transaction().touch(PG, O).clone(PG, O.withSnap(3), O);
        assertThatThrownBy(() -> store.queueTransaction(pg, failing))
                .hasMessageContainingAll(
                        "operation 1", "Clone", PG.toString(), O.withSnap(3).toString());
    }
}
