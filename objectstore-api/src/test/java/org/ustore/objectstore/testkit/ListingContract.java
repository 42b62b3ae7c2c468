package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.listAll;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Transaction;

/** Listing a collection's objects. */
interface ListingContract extends StoreUnderTest {

    private static ObjectId full(
            byte shard, long pool, int hash, String nspace, String key, ByteString name, long snap, long generation) {
        return new ObjectId(shard, pool, hash, bytes(nspace), bytes(key), name, snap, generation, false, false);
    }

    private Collection fill(CollectionId id, int bits, Iterable<ObjectId> objects) {
        Collection collection = make(id, bits);
        Transaction t = new Transaction();
        objects.forEach(o -> t.touch(id, o));
        store().queueTransaction(collection, t);
        return collection;
    }

    private static List<ObjectId> ofShardOne(int count) {
        List<ObjectId> objects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            objects.add(ObjectId.head(3, i * 0x9e3779b1, bytes("object_" + i)).withShard((byte) 1));
        }
        return objects;
    }

    @Test
    @DisplayName("B1.simple-list: pages of 50 over 200 objects of a shard")
    default void pages() {
        List<ObjectId> objects = ofShardOne(200);
        Collection collection = fill(CollectionId.pg(3, 0, (byte) 1), 0, objects);
        assertThat(listAll(collection, 50)).containsExactlyElementsOf(new TreeSet<>(objects));
        assertThat(listAll(collection, 7)).hasSize(200);
        assertThat(listAll(collection, 1)).hasSize(200);
    }

    @Test
    @DisplayName("B1.list-end: the end is exclusive")
    default void endIsExclusive() {
        List<ObjectId> objects = ofShardOne(200);
        Collection collection = fill(CollectionId.pg(3, 0, (byte) 1), 0, objects);
        TreeSet<ObjectId> sorted = new TreeSet<>(objects);
        ObjectId end = objects.get(100);
        Listing listing = collection.list(ObjectId.MIN, end, 500);
        assertThat(listing.objects()).containsExactlyElementsOf(sorted.headSet(end, false));
        assertThat(listing.next()).isEqualTo(end);
    }

    @Test
    @DisplayName("B1.multipool-list: temporary objects are listed, before the others")
    default void temporaryObjects() {
        List<ObjectId> objects = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            objects.add(ObjectId.head(i % 3 == 0 ? -2 - 4373 : 4373, i * 0x9e3779b1, bytes("object_" + i)));
        }
        Collection collection = fill(CollectionId.pg(4373, 0), 0, objects);
        List<ObjectId> listed = listAll(collection, 50);
        assertThat(listed).containsExactlyElementsOf(new TreeSet<>(objects));
        assertThat(listed.subList(0, 67)).allMatch(ObjectId::isTemporary);
    }

    @Test
    @DisplayName("B1.many-objects: 2000 objects with long names, one transaction each")
    default void manyObjects() {
        Set<ObjectId> objects = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            ObjectId o = ObjectId.head(1, i % 50, bytes(i + "a".repeat(500)));
            objects.add(o);
            apply(new Transaction().touch(PG, o));
        }
        for (ObjectId o : objects) {
            assertThat(size(o)).isZero();
        }
        Listing all = pg().list(ObjectId.MIN, ObjectId.MAX, Integer.MAX_VALUE);
        assertThat(all.objects()).isSorted().containsExactlyInAnyOrderElementsOf(objects);
        assertThat(all.next()).isEqualTo(ObjectId.MAX);
        assertThat(pg().list(ObjectId.MAX, ObjectId.MAX, 50)).isEqualTo(new Listing(List.of(), ObjectId.MAX));
        remount();
        assertThat(listAll(pg(), 50)).containsExactlyElementsOf(all.objects());
    }

    @Test
    @DisplayName("B1.long-names: names that differ only after 500 bytes, a rename between them, removal one by one")
    default void longNames() {
        List<ObjectId> objects = new ArrayList<>();
        for (int i = 0; i < 320; i++) {
            objects.add(ObjectId.head(1, i & 1, bytes("a".repeat(500) + "object id " + i)));
            apply(new Transaction().touch(PG, objects.get(i)));
        }
        ObjectId last = objects.get(319);
        apply(new Transaction().rename(PG, last, last.withGeneration(0)));
        objects.set(319, last.withGeneration(0));
        assertThat(listAll(pg(), 64)).containsExactlyElementsOf(new TreeSet<>(objects));
        objects.forEach(o -> apply(new Transaction().remove(PG, o)));
        assertThat(pg().isEmpty()).isTrue();
    }

    @Test
    @DisplayName(
            "B1.hash-collision: names of bytes above 0x7f under equal hashes; every sub-range exact, with its next")
    default void hashCollisions() {
        TreeSet<ObjectId> objects = new TreeSet<>();
        for (int i = 0; i < 10; i++) {
            byte[] name = {(byte) (0x80 + i * 11), (byte) (i * 53), (byte) (255 - i), (byte) (i * i)};
            objects.add(ObjectId.head(1, i % 2 == 0 ? 121_664_318 : 121_666_222, ByteString.copyOf(name)));
        }
        Transaction t = new Transaction();
        objects.forEach(o -> t.touch(PG, o));
        apply(t);
        List<ObjectId> sorted = new ArrayList<>(objects);
        assertThat(listAll(pg(), 100)).isEqualTo(sorted);
        for (int i = 0; i < sorted.size(); i++) {
            for (int j = i + 1; j < sorted.size(); j++) {
                Listing expected = new Listing(sorted.subList(i, j), sorted.get(j));
                assertThat(pg().list(sorted.get(i), ObjectId.MAX, j - i)).isEqualTo(expected);
                assertThat(pg().list(sorted.get(i), sorted.get(j), Integer.MAX_VALUE))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    @DisplayName("B1.hash-collision-namespaces: 10 namespaces of 300 objects, all under one hash")
    default void hashCollisionsOfNamespaces() {
        TreeSet<ObjectId> objects = new TreeSet<>();
        for (int n = 0; n < 10; n++) {
            Transaction t = new Transaction();
            for (int i = 0; i < 300; i++) {
                ObjectId o = full(
                        ObjectId.NO_SHARD,
                        1,
                        0,
                        "n" + n,
                        "",
                        bytes(i + "a".repeat(100)),
                        ObjectId.HEAD,
                        ObjectId.NO_GENERATION);
                objects.add(o);
                t.touch(PG, o);
            }
            apply(t);
        }
        assertThat(listAll(pg(), 60)).containsExactlyElementsOf(objects);
        assertThat(listAll(pg(), Integer.MAX_VALUE)).hasSize(3000);
    }

    @Test
    @DisplayName("B1.scrub: paging that starts again at the object's lowest generation misses nothing")
    default void pagingByObject() {
        List<ObjectId> objects = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            objects.add(ObjectId.head(3, i, bytes("object_" + i)).withShard((byte) 1));
        }
        ObjectId same = ObjectId.head(3, 77, bytes("same")).withShard((byte) 1);
        objects.add(same);
        objects.add(same.withGeneration(1));
        objects.add(same.withGeneration(2));
        Collection collection = fill(CollectionId.pg(3, 0, (byte) 1), 0, objects);
        assertThat(listAll(collection, Integer.MAX_VALUE)).hasSize(1003);
        Set<ObjectId> found = new TreeSet<>();
        ObjectId start = ObjectId.MIN;
        while (!start.equals(ObjectId.MAX)) {
            Listing page = collection.list(start, ObjectId.MAX, 60);
            found.addAll(page.objects());
            start = page.next().equals(ObjectId.MAX)
                    ? ObjectId.MAX
                    : page.next().withGeneration(0);
        }
        assertThat(found).hasSize(1003).containsAll(objects);
    }

    @Test
    @DisplayName("C7.order: pools, bit-reversed hashes, namespaces, keys, names, snaps, generations")
    default void order() {
        byte none = ObjectId.NO_SHARD;
        long head = ObjectId.HEAD;
        long current = ObjectId.NO_GENERATION;
        List<ObjectId> ordered = List.of(
                full(none, -3, 7, "", "", bytes("temporary"), head, current),
                full(none, 1, 0, "", "", bytes(""), head, current),
                full(none, 1, 0, "", "", bytes("a"), 1, current),
                full(none, 1, 0, "", "", bytes("a"), 0xffff, 3),
                full(none, 1, 0, "", "", bytes("a"), 0xffff, current),
                full(none, 1, 0, "", "", bytes("a"), head, 0),
                full(none, 1, 0, "", "", bytes("a"), head, current),
                full(none, 1, 0, "", "", bytes("a"), ObjectId.SNAPDIR, current),
                full(none, 1, 0, "", "", ByteString.wrap(new byte[] {'a', 0}), head, current),
                full(none, 1, 0, "", "b", bytes("Z"), head, current),
                full(none, 1, 0, "", "", bytes("c"), head, current),
                full(none, 1, 0, "", "", ByteString.wrap(new byte[] {(byte) 0xff}), head, current),
                full(none, 1, 0, "n", "", bytes("a"), head, current),
                full(none, 1, 0x8000_0000, "", "", bytes("a"), head, current),
                full(none, 1, 4, "", "", bytes("a"), head, current),
                full(none, 1, 2, "", "", bytes("a"), head, current),
                full(none, 1, 1, "", "", bytes("a"), head, current),
                full(none, 1, 3, "", "", bytes("a"), head, current));
        Transaction t = new Transaction();
        ordered.reversed().forEach(o -> t.touch(PG, o));
        apply(t);
        assertThat(listAll(pg(), 100)).isEqualTo(ordered);
        remount();
        assertThat(listAll(pg(), 4)).isEqualTo(ordered);
    }

    @Test
    @DisplayName("C7.odd-names: NUL, slashes, dots, escapes, 0xff, empty, 1000 and 4000 characters, keys, namespaces")
    default void oddNames() {
        List<ByteString> names = new ArrayList<>();
        for (String name :
                List.of("", "a\0b", "/", "..", ".", "%2f", "!", "~", "_", "a__b", "x".repeat(1000), "y".repeat(4000))) {
            names.add(bytes(name));
        }
        names.add(ByteString.wrap(new byte[] {(byte) 0xff, (byte) 0xff}));
        TreeSet<ObjectId> objects = new TreeSet<>();
        for (ByteString name : names) {
            objects.add(full(ObjectId.NO_SHARD, 1, 9, "", "", name, ObjectId.HEAD, ObjectId.NO_GENERATION));
            objects.add(full(ObjectId.NO_SHARD, 1, 9, "n\0/s", "", name, 5, ObjectId.NO_GENERATION));
            objects.add(full(ObjectId.NO_SHARD, 1, 9, "", "k/\0y", name, ObjectId.SNAPDIR, 12));
        }
        Transaction t = new Transaction();
        objects.forEach(o -> t.write(PG, o, 0, o.name().toByteArray()));
        apply(t);
        assertThat(listAll(pg(), 5)).containsExactlyElementsOf(objects);
        remount();
        assertThat(listAll(pg(), 5)).containsExactlyElementsOf(objects);
        objects.forEach(o -> assertThat(readAll(o)).isEqualTo(o.name().toByteArray()));
    }

    @Test
    @DisplayName("C7.bounds: start and end need not exist; next is the first object not returned")
    default void listingBounds() {
        List<ObjectId> sorted = List.of(
                ObjectId.head(1, 0, bytes("b")), ObjectId.head(1, 0, bytes("d")), ObjectId.head(1, 0, bytes("f")));
        Transaction t = new Transaction();
        sorted.forEach(o -> t.touch(PG, o));
        apply(t);
        ObjectId c = ObjectId.head(1, 0, bytes("c"));
        ObjectId e = ObjectId.head(1, 0, bytes("e"));
        assertThat(pg().list(c, ObjectId.MAX, 1)).isEqualTo(new Listing(sorted.subList(1, 2), sorted.get(2)));
        assertThat(pg().list(ObjectId.MIN, e, 10)).isEqualTo(new Listing(sorted.subList(0, 2), sorted.get(2)));
        assertThat(pg().list(c, e, 10)).isEqualTo(new Listing(sorted.subList(1, 2), sorted.get(2)));
        assertThat(pg().list(sorted.get(1), ObjectId.MAX, 2))
                .isEqualTo(new Listing(sorted.subList(1, 3), ObjectId.MAX));
        assertThat(pg().list(sorted.get(2).withGeneration(3), ObjectId.MAX, 2).objects())
                .containsExactly(sorted.get(2));
        assertThat(pg().list(sorted.get(2).withSnap(ObjectId.SNAPDIR), ObjectId.MAX, 2))
                .isEqualTo(new Listing(List.of(), ObjectId.MAX));
    }

    @Test
    @DisplayName("C7.max-zero: nothing is returned and next is the first object at or after start")
    default void maxZero() {
        ObjectId b = ObjectId.head(1, 0, bytes("b"));
        apply(new Transaction().touch(PG, b));
        assertThat(pg().list(ObjectId.MIN, ObjectId.MAX, 0)).isEqualTo(new Listing(List.of(), b));
        assertThat(pg().list(b.withName(bytes("c")), ObjectId.MAX, 0)).isEqualTo(new Listing(List.of(), ObjectId.MAX));
    }

    @Test
    @DisplayName("C7.start-is-end: nothing is returned and next is that object")
    default void startIsEnd() {
        ObjectId b = ObjectId.head(1, 0, bytes("b"));
        apply(new Transaction().touch(PG, b));
        assertThat(pg().list(b, b, 10)).isEqualTo(new Listing(List.of(), b));
        assertThat(pg().list(ObjectId.MAX, ObjectId.MAX, 10)).isEqualTo(new Listing(List.of(), ObjectId.MAX));
    }

    @Test
    @DisplayName("C7.queued: a listing sees objects made and removed by transactions just queued")
    default void seesQueued() {
        TreeSet<ObjectId> model = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            ObjectId o = ObjectId.head(1, i * 0x9e3779b1, bytes("o" + i));
            apply(new Transaction().touch(PG, o));
            model.add(o);
            if (i % 3 == 2) {
                ObjectId gone = model.first();
                apply(new Transaction().remove(PG, gone));
                model.remove(gone);
            }
            assertThat(listAll(pg(), 30)).containsExactlyElementsOf(model);
        }
    }
}
