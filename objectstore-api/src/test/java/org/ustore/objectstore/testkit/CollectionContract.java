package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.listAll;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;

/** Collections: made, removed, split, merged. */
interface CollectionContract extends StoreUnderTest {

    private static ObjectId inPool(long pool, int hash, String name) {
        return ObjectId.head(pool, hash, bytes(name));
    }

    @Test
    @DisplayName("B1.meta-collection: made and removed twice")
    default void metaCollection() {
        makeAndRemoveTwice(CollectionId.META, 0);
    }

    @Test
    @DisplayName("B1.pg-collection: made and removed twice")
    default void pgCollection() {
        makeAndRemoveTwice(CollectionId.pg(2, 1), 4);
    }

    private void makeAndRemoveTwice(CollectionId id, int bits) {
        for (int round = 0; round < 2; round++) {
            assertThat(store().openCollection(id)).isNull();
            assertThat(store().collectionExists(id)).isFalse();
            make(id, bits);
            assertThat(store().collectionExists(id)).isTrue();
            store().queueTransaction(open(id), new Transaction().removeCollection(id));
            assertThat(store().listCollections()).containsExactly(PG);
        }
    }

    @Test
    @DisplayName("C6.same-handle: open gives the very handle that createNew gave")
    default void sameHandle() {
        CollectionId id = CollectionId.pg(2, 3);
        Collection made = make(id, 2);
        assertThat(store().openCollection(id)).isSameAs(made);
        assertThat(store().openCollection(id)).isSameAs(made);
        assertThat(made.id()).isEqualTo(id);
        assertThat(made.bits()).isEqualTo(2);
    }

    @Test
    @DisplayName("C6.list-collections: all, in order")
    default void listCollections() {
        make(CollectionId.META, 0);
        make(CollectionId.pg(10, 0), 0);
        make(CollectionId.pg(2, 0x1f), 5);
        make(CollectionId.pg(2, 1, (byte) 3), 5);
        List<CollectionId> expected = List.of(
                CollectionId.META,
                PG,
                CollectionId.pg(2, 1, (byte) 3),
                CollectionId.pg(2, 0x1f),
                CollectionId.pg(10, 0));
        assertThat(store().listCollections()).isEqualTo(expected);
        remount();
        assertThat(store().listCollections()).isEqualTo(expected);
    }

    @Test
    @DisplayName("C6.remove-with-objects: objects and collection removed in one transaction; made again it is empty")
    default void removeAndMakeAgain() {
        CollectionId id = CollectionId.pg(3, 2);
        Collection collection = make(id, 2);
        ObjectId o = inPool(3, 2, "o");
        store().queueTransaction(collection, new Transaction().write(id, o, 0, pattern(1, 10_000)));
        store().queueTransaction(collection, new Transaction().remove(id, o).removeCollection(id));
        assertThat(store().collectionExists(id)).isFalse();
        assertThat(store().openCollection(id)).isNull();
        Collection again = store().createNewCollection(id);
        store().queueTransaction(again, new Transaction().makeCollection(id, 1));
        assertThat(again.bits()).isEqualTo(1);
        assertThat(again.isEmpty()).isTrue();
        assertThat(again.exists(o)).isFalse();
        remount();
        assertThat(open(id).bits()).isEqualTo(1);
        assertThat(open(id).isEmpty()).isTrue();
    }

    @Test
    @DisplayName("C6.set-bits: the bits change, no object moves")
    default void setBits() {
        CollectionId id = CollectionId.pg(3, 2);
        Collection collection = make(id, 3);
        ObjectId o = inPool(3, 2, "o");
        store().queueTransaction(
                        collection, new Transaction().touch(id, o).add(new Operation.SetCollectionBits(id, 2)));
        assertThat(collection.bits()).isEqualTo(2);
        assertThat(listAll(collection, 10)).containsExactly(o);
        remount();
        assertThat(open(id).bits()).isEqualTo(2);
    }

    @Test
    @DisplayName("C6.empty-counts-temporary: a temporary object makes a collection non-empty")
    default void temporaryObjectsCount() {
        ObjectId temporary = inPool(-3, 5, "temp");
        apply(new Transaction().touch(PG, temporary));
        assertThat(pg().isEmpty()).isFalse();
        assertThat(pg().exists(temporary)).isTrue();
        apply(new Transaction().remove(PG, temporary));
        assertThat(pg().isEmpty()).isTrue();
    }

    @Test
    @DisplayName("C6.several-collections: one transaction changes several, queued on one handle")
    default void severalCollections() {
        CollectionId other = CollectionId.pg(4, 0);
        make(other, 0);
        apply(new Transaction()
                .write(PG, object("o"), 0, pattern(1, 100))
                .write(other, inPool(4, 77, "o"), 0, pattern(2, 100)));
        assertThat(readAll(object("o"))).isEqualTo(pattern(1, 100));
        assertThat(open(other).read(inPool(4, 77, "o"), 0, 0)).isEqualTo(pattern(2, 100));
        remount();
        assertThat(readAll(object("o"))).isEqualTo(pattern(1, 100));
        assertThat(open(other).read(inPool(4, 77, "o"), 0, 0)).isEqualTo(pattern(2, 100));
    }

    @Test
    @DisplayName("API.rename-across: an object moves to another collection with all it has")
    default void renameAcross() {
        CollectionId other = CollectionId.pg(4, 0);
        make(other, 0);
        ObjectId target = inPool(4, 77, "moved");
        apply(new Transaction()
                .write(PG, object("o"), 100, pattern(1, 9000))
                .setAttributes(PG, object("o"), entries("a", "b"))
                .omapSetKeys(PG, object("o"), entries("k", "v"))
                .omapSetHeader(PG, object("o"), bytes("h")));
        apply(new Transaction().add(new Operation.Rename(PG, object("o"), other, target)));
        for (int round = 0; round < 2; round++) {
            assertThat(pg().exists(object("o"))).isFalse();
            Collection moved = open(other);
            assertThat(moved.read(target, 100, 9000)).isEqualTo(pattern(1, 9000));
            assertThat(moved.attributes(target)).isEqualTo(entries("a", "b"));
            assertThat(moved.omap(target).entries()).isEqualTo(entries("k", "v"));
            assertThat(moved.omapHeader(target)).isEqualTo(bytes("h"));
            remount();
        }
    }

    @ParameterizedTest(name = "{displayName} bits {0}, {1} objects, clones {2}")
    @CsvSource({"5, 10, false", "11, 5000, false", "11, 5000, true", "7, 100, false", "7, 100, true"})
    @DisplayName("B1.split: objects go where bit s of their hash says, and come back by a merge")
    default void splitAndMerge(int bits, int count, boolean clones) {
        CollectionId parent = CollectionId.pg(52, 0);
        CollectionId child = CollectionId.pg(52, 1 << bits);
        Collection parentHandle = make(parent, bits);
        int hashes = clones ? count : 2 * count;
        for (int from = 0; from < hashes; from += 500) {
            Transaction fill = new Transaction();
            for (int i = from; i < Math.min(hashes, from + 500); i++) {
                ObjectId o = inPool(52, i << bits, "object-" + i);
                fill.write(parent, o, 0, pattern(i, 5));
                if (clones) {
                    fill.clone(parent, o, o.withName(bytes("object-" + i + "-clone")));
                }
            }
            store().queueTransaction(parentHandle, fill);
        }
        Collection childHandle = store().createNewCollection(child);
        store().queueTransaction(
                        parentHandle,
                        new Transaction()
                                .makeCollection(child, bits + 1)
                                .splitCollection(parent, child, bits + 1, 1 << bits));
        assertThat(parentHandle.bits()).isEqualTo(bits + 1);
        assertThat(childHandle.bits()).isEqualTo(bits + 1);
        assertThat(listAll(parentHandle, 1000)).hasSize(count).allMatch(o -> (o.hash() >> bits & 1) == 0);
        List<ObjectId> inChild = listAll(childHandle, 1000);
        assertThat(inChild).hasSize(count).allMatch(o -> (o.hash() >> bits & 1) == 1);
        for (ObjectId o : inChild) {
            assertThat(childHandle.read(o, 0, 0)).isEqualTo(pattern(o.hash() >>> bits, 5));
        }
        store().queueTransaction(childHandle, new Transaction().mergeCollection(child, parent, bits));
        assertThat(store().collectionExists(child)).isFalse();
        assertThat(parentHandle.bits()).isEqualTo(bits);
        List<ObjectId> all = listAll(parentHandle, 1000);
        assertThat(all).hasSize(2 * count);
        Transaction remove = new Transaction();
        all.forEach(o -> remove.remove(parent, o));
        store().queueTransaction(parentHandle, remove.removeCollection(parent));
        assertThat(store().listCollections()).containsExactly(PG);
    }

    @Test
    @DisplayName("C6.split-to-32-bits: the whole hash decides")
    default void splitToAllBits() {
        CollectionId parent = CollectionId.pg(53, 1);
        CollectionId child = CollectionId.pg(53, 0x80000001);
        Collection parentHandle = make(parent, 31);
        ObjectId stays = inPool(53, 1, "stays");
        ObjectId moves = inPool(53, 0x80000001, "moves");
        store().queueTransaction(
                        parentHandle, new Transaction().touch(parent, stays).touch(parent, moves));
        Collection childHandle = store().createNewCollection(child);
        store().queueTransaction(
                        parentHandle,
                        new Transaction().makeCollection(child, 32).splitCollection(parent, child, 32, 0x80000001));
        assertThat(listAll(parentHandle, 10)).containsExactly(stays);
        assertThat(listAll(childHandle, 10)).containsExactly(moves);
    }

    @Test
    @DisplayName("C6.split-carries-all: attributes, omap, clones and data follow; the child can be written at once")
    default void splitCarriesAll() {
        CollectionId parent = CollectionId.pg(8, 1);
        CollectionId child = CollectionId.pg(8, 3);
        Collection parentHandle = make(parent, 1);
        ObjectId stays = inPool(8, 0x101, "stays");
        ObjectId moves = inPool(8, 0x103, "moves");
        ObjectId temporary = inPool(-10, 0x203, "temporary");
        Transaction fill = new Transaction();
        for (ObjectId o : List.of(stays, moves, temporary)) {
            fill.write(parent, o, 777, pattern(o.hash(), 100_000))
                    .setAttributes(parent, o, entries("a", o.toString()))
                    .omapSetKeys(parent, o, entries("k", "v"))
                    .omapSetHeader(parent, o, bytes("h"))
                    .clone(parent, o, o.withSnap(3))
                    .write(parent, o, 5000, pattern(1, 10));
        }
        store().queueTransaction(parentHandle, fill);
        Collection childHandle = store().createNewCollection(child);
        store().queueTransaction(
                        parentHandle, new Transaction().makeCollection(child, 2).splitCollection(parent, child, 2, 3));
        store().queueTransaction(childHandle, new Transaction().write(child, moves, 200_000, pattern(2, 10)));
        for (int round = 0; round < 2; round++) {
            assertThat(listAll(open(parent), 10)).containsExactly(stays.withSnap(3), stays);
            assertThat(listAll(open(child), 10))
                    .containsExactly(temporary.withSnap(3), temporary, moves.withSnap(3), moves);
            for (ObjectId o : List.of(moves, temporary)) {
                assertThat(open(child).read(o.withSnap(3), 777, 100_000)).isEqualTo(pattern(o.hash(), 100_000));
                assertThat(open(child).read(o, 5000, 10)).isEqualTo(pattern(1, 10));
                assertThat(open(child).attributes(o)).isEqualTo(entries("a", o.toString()));
                assertThat(open(child).omap(o).entries()).isEqualTo(entries("k", "v"));
                assertThat(open(child).omapHeader(o)).isEqualTo(bytes("h"));
            }
            assertThat(open(child).read(moves, 200_000, 100)).isEqualTo(pattern(2, 10));
            remount();
        }
        store().queueTransaction(open(child), new Transaction().mergeCollection(child, parent, 1));
        assertThat(listAll(open(parent), 10))
                .containsExactly(temporary.withSnap(3), temporary, stays.withSnap(3), stays, moves.withSnap(3), moves);
        assertThat(store().openCollection(child)).isNull();
        remount();
        assertThat(open(parent).read(moves, 200_000, 100)).isEqualTo(pattern(2, 10));
        assertThat(open(parent).bits()).isEqualTo(1);
    }

    @Test
    @DisplayName("C6.split-in-four: several splits in one transaction, objects written in it included")
    default void splitInFour() {
        CollectionId parent = CollectionId.pg(6, 0);
        Collection parentHandle = make(parent, 0);
        Transaction t = new Transaction();
        for (int i = 0; i < 64; i++) {
            t.write(parent, inPool(6, i, "o" + i), 0, pattern(i, 100));
        }
        for (int seed = 1; seed < 4; seed++) {
            CollectionId child = CollectionId.pg(6, seed);
            t.makeCollection(child, 2).splitCollection(parent, child, 2, seed);
        }
        store().queueTransaction(parentHandle, t);
        for (int seed = 0; seed < 4; seed++) {
            int expected = seed;
            Collection part = open(CollectionId.pg(6, seed));
            assertThat(listAll(part, 7)).hasSize(16).allMatch(o -> (o.hash() & 3) == expected);
            assertThat(part.bits()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("B1.two-hash: nameless meta objects with like hashes stay apart")
    default void namelessMetaObjects() {
        CollectionId meta = CollectionId.META;
        Collection handle = make(meta, 0);
        Transaction touch = new Transaction();
        for (int i = 0; i < 360; i++) {
            if (i < 8) {
                touch.touch(meta, ObjectId.meta(i << 16 | 0xa1, ByteString.EMPTY));
            }
            touch.touch(meta, ObjectId.meta(i << 16 | 0xb1, ByteString.EMPTY));
        }
        store().queueTransaction(handle, touch);
        Transaction remove = new Transaction();
        for (int i = 1; i < 8; i++) {
            remove.remove(meta, ObjectId.meta(i << 16 | 0xa1, ByteString.EMPTY));
        }
        store().queueTransaction(handle, remove);
        for (int i = 1; i < 8; i++) {
            assertThat(handle.exists(ObjectId.meta(i << 16 | 0xa1, ByteString.EMPTY)))
                    .isFalse();
        }
        assertThat(handle.exists(ObjectId.meta(0xa1, ByteString.EMPTY))).isTrue();
        Transaction all = new Transaction();
        for (int i = 0; i < 360; i++) {
            all.remove(meta, ObjectId.meta(i << 16 | 0xa1, ByteString.EMPTY));
            all.remove(meta, ObjectId.meta(i << 16 | 0xb1, ByteString.EMPTY));
        }
        store().queueTransaction(handle, all.removeCollection(meta));
    }
}
