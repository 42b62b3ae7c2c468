package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.assertCode;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.StoreStatistics;
import org.ustore.objectstore.Transaction;

/** mkfs, mount, umount, fsck, statistics. */
interface LifecycleContract extends StoreUnderTest {

    @Test
    @DisplayName("B1.collect-metadata: metadata can be asked for")
    default void metadata() {
        assertThat(store().metadata()).doesNotContainKey("");
    }

    @Test
    @DisplayName("B1.trivial-remount: umount and mount of an empty store")
    default void trivialRemount() {
        remount();
        remount();
        assertThat(store().listCollections()).containsExactly(PG);
    }

    @Test
    @DisplayName("B1.simple-remount: collections and objects come and go across mounts")
    default void simpleRemount() {
        ObjectId first = ObjectId.meta(1, bytes("first"));
        ObjectId second = ObjectId.meta(2, bytes("second"));
        Collection meta = store().createNewCollection(CollectionId.META);
        store().queueTransaction(
                        meta,
                        new Transaction()
                                .makeCollection(CollectionId.META, 0)
                                .write(CollectionId.META, first, 0, pattern(1, 10)));
        remount();
        meta = open(CollectionId.META);
        assertThat(meta.read(first, 0, 10)).isEqualTo(pattern(1, 10));
        store().queueTransaction(meta, new Transaction().write(CollectionId.META, second, 0, pattern(2, 10)));
        store().queueTransaction(
                        meta,
                        new Transaction()
                                .remove(CollectionId.META, first)
                                .remove(CollectionId.META, second)
                                .removeCollection(CollectionId.META));
        remount();
        assertThat(store().collectionExists(CollectionId.META)).isFalse();
        meta = make(CollectionId.META, 0);
        assertThat(meta.exists(first)).isFalse();
        store().queueTransaction(meta, new Transaction().removeCollection(CollectionId.META));
    }

    @Test
    @DisplayName("B1.io-remount: a hundred objects, overwritten, survive a remount")
    default void ioRemount() {
        Transaction create = new Transaction();
        for (int i = 0; i < 100; i++) {
            create.write(PG, object("object" + i), 0, pattern(i, 10));
        }
        apply(create);
        for (int i = 0; i < 100; i++) {
            apply(new Transaction().write(PG, object("object" + i), 1, pattern(i + 1, 10)));
        }
        remount();
        Transaction remove = new Transaction();
        for (int i = 0; i < 100; i++) {
            assertThat(readAll(object("object" + i)))
                    .isEqualTo(StoreUnderTest.concat(StoreUnderTest.slice(pattern(i, 10), 0, 1), pattern(i + 1, 10)));
            remove.remove(PG, object("object" + i));
        }
        apply(remove);
        assertThat(pg().isEmpty()).isTrue();
    }

    @Test
    @DisplayName("C8.remount-keeps-all: data, attributes, omap, header and bits persist")
    default void remountKeepsAll() {
        ObjectId o = object("o");
        CollectionId other = CollectionId.pg(7, 5, (byte) 2);
        make(other, 3);
        apply(new Transaction()
                .write(PG, o, 5000, pattern(1, 70_001))
                .setAttribute(PG, o, bytes("a"), bytes("value"))
                .omapSetKeys(PG, o, entries("k1", "v1", "k2", ""))
                .omapSetHeader(PG, o, bytes("header")));
        remount();
        assertThat(readAll(o)).isEqualTo(StoreUnderTest.concat(new byte[5000], pattern(1, 70_001)));
        assertThat(pg().attributes(o)).isEqualTo(entries("a", "value"));
        assertThat(pg().omap(o).entries()).isEqualTo(entries("k1", "v1", "k2", ""));
        assertThat(pg().omapHeader(o)).isEqualTo(bytes("header"));
        assertThat(open(other).bits()).isEqualTo(3);
        assertThat(pg().bits()).isEqualTo(0);
        assertThat(store().listCollections()).containsExactly(PG, other);
    }

    @Test
    @DisplayName("C8.fsid: the identity given at mkfs is kept")
    default void fsidIsKept() {
        UUID before = store().fsid();
        remount();
        assertThat(store().fsid()).isEqualTo(before).isEqualTo(ObjectStoreContract.FSID);
    }

    @Test
    @DisplayName("API.mkfs-refuses: mkfs never overwrites a store")
    default void mkfsRefusesToOverwrite() {
        apply(new Transaction().touch(PG, object("o")));
        store().umount();
        try {
            assertCode(ErrorCode.EEXIST, () -> store().mkfs(UUID.fromString("00000000-0000-4000-8000-000000000001")));
        } finally {
            store().mount();
        }
        assertThat(open(PG).exists(object("o"))).isTrue();
        assertThat(store().fsid()).isEqualTo(ObjectStoreContract.FSID);
    }

    @Test
    @DisplayName("API.not-mounted: an unmounted store refuses to work")
    default void unmountedRefuses() {
        Collection stale = pg();
        store().umount();
        try {
            assertCode(
                    ErrorCode.ESHUTDOWN,
                    () -> store().queueTransaction(stale, new Transaction().touch(PG, object("o"))));
            assertCode(ErrorCode.ESHUTDOWN, () -> stale.exists(object("o")));
            assertCode(ErrorCode.ESHUTDOWN, () -> store().openCollection(PG));
        } finally {
            store().mount();
        }
        assertThat(open(PG).exists(object("o"))).isFalse();
    }

    @Test
    @DisplayName("API.umount-commits: umount makes durable what is queued and runs its callbacks")
    default void umountRunsCallbacks() {
        List<Integer> ran = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 50; i++) {
            int n = i;
            apply(new Transaction()
                    .write(PG, object("o"), i * 1000L, pattern(i, 1000))
                    .onCommit(() -> ran.add(n)));
        }
        remount();
        assertThat(ran).hasSize(50).isSorted();
        for (int i = 0; i < 50; i++) {
            assertThat(pg().read(object("o"), i * 1000L, 1000)).isEqualTo(pattern(i, 1000));
        }
    }

    @Test
    @DisplayName("API.statistics: capacity is known, available stays within it, stored bytes show up")
    default void statistics() {
        long before = store().statistics().dataStored();
        commit(pg(), new Transaction().write(PG, object("o"), 0, pattern(1, 1 << 20)));
        StoreStatistics after = store().statistics();
        assertThat(after.total()).isPositive();
        assertThat(after.available()).isBetween(0L, after.total());
        assertThat(after.dataStored() - before).isEqualTo(1 << 20);
        assertThat(after.allocated()).isGreaterThanOrEqualTo(1 << 20);
    }

    @Test
    @DisplayName("B1.unprintable-name: a name of every byte value works and survives")
    default void unprintableName() {
        byte[] name = new byte[256];
        for (int i = 0; i < 256; i++) {
            name[i] = (byte) i;
        }
        ObjectId o = ObjectId.head(1, 0x1234, ByteString.copyOf(name));
        apply(new Transaction().touch(PG, o));
        remount();
        assertThat(pg().list(ObjectId.MIN, ObjectId.MAX, 10).objects()).containsExactly(o);
        apply(new Transaction().remove(PG, o).removeCollection(PG));
        assertThat(store().listCollections()).isEmpty();
    }
}
