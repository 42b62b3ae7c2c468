package org.ustore.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class ObjectIdTest {
    private static ObjectId full(
            int shard, long pool, int hash, String nspace, String key, String name, long snap, long generation) {
        return new ObjectId(
                (byte) shard,
                pool,
                hash,
                ByteString.of(nspace),
                ByteString.of(key),
                ByteString.of(name),
                snap,
                generation,
                false,
                false);
    }

    private static ObjectId named(String key, String name) {
        return full(-1, 1, 0, "", key, name, ObjectId.HEAD, ObjectId.NO_GENERATION);
    }

    private static ObjectId hashed(int hash) {
        return full(-1, 1, hash, "", "", "o", ObjectId.HEAD, ObjectId.NO_GENERATION);
    }

    private static void assertOrder(List<ObjectId> ascending) {
        for (int i = 0; i < ascending.size(); i++) {
            for (int j = 0; j < ascending.size(); j++) {
                assertThat(Integer.signum(ascending.get(i).compareTo(ascending.get(j))))
                        .as("%s against %s", ascending.get(i), ascending.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
        List<ObjectId> shuffled = new ArrayList<>(ascending);
        Collections.shuffle(shuffled, new Random(7));
        Collections.sort(shuffled);
        assertThat(shuffled).isEqualTo(ascending);
    }

    @Test
    @DisplayName("C7: shards by sign, then temporary objects, meta, pools by number")
    void shardsAndPools() {
        long head = ObjectId.HEAD;
        assertOrder(List.of(
                ObjectId.MIN,
                full(-1, -4373 - 2, 9, "z", "z", "z", head, -1),
                full(-1, -3, 9, "z", "z", "z", head, -1),
                full(-1, -2, 9, "z", "z", "z", head, -1),
                ObjectId.meta(0, ByteString.of("osd_superblock")),
                full(-1, 0, 0, "", "", "", head, -1),
                full(-1, 1, 0, "", "", "", head, -1),
                full(-1, Long.MAX_VALUE, 0, "", "", "", head, -1),
                full(0, -3, 0, "", "", "", head, -1),
                full(0, 1, 0, "", "", "", head, -1),
                full(1, 1, 0, "", "", "", head, -1),
                full(127, 1, 0, "", "", "", head, -1),
                ObjectId.MAX));
    }

    @Test
    @DisplayName("C7: hashes by their reversed bits, unsigned")
    void hashes() {
        assertOrder(List.of(
                hashed(0),
                hashed(0x8000_0000),
                hashed(0x4000_0000),
                hashed(0xc000_0000),
                hashed(0x0000_0008),
                hashed(0x0000_0004),
                hashed(0x0000_0002),
                hashed(0x0000_0001),
                hashed(0x8000_0001),
                hashed(0x0000_0003),
                hashed(0x7fff_ffff),
                hashed(0xffff_ffff)));
    }

    @Test
    @DisplayName("C7: namespaces byte by byte, unsigned, before keys and names")
    void namespaces() {
        List<ObjectId> ascending = new ArrayList<>();
        for (String nspace : List.of("", "\0", "a", "aa", "b", "\u00e9")) {
            ascending.add(full(-1, 1, 0, nspace, "", "z", ObjectId.HEAD, -1));
        }
        ascending.add(1, full(-1, 1, 0, "", "zz", "a", ObjectId.HEAD, -1));
        assertOrder(ascending);
    }

    @Test
    @DisplayName("C7: by key, or name where there is none, then by name; keys count only if either has one")
    void keysAndNames() {
        assertOrder(List.of(
                named("", ""),
                named("a", "0"),
                named("", "a"),
                named("a", "b"),
                named("", "a\0"),
                named("b", "0"),
                named("", "b"),
                named("b", "c"),
                named("c", ""),
                named("", "d"),
                named("", "\u00ff")));
    }

    @Test
    @DisplayName("C7: snaps by number, then head, then snapdir")
    void snaps() {
        List<ObjectId> ascending = new ArrayList<>();
        for (long snap :
                new long[] {0, 1, 0xffff, Long.MAX_VALUE, Long.MIN_VALUE, -3, ObjectId.HEAD, ObjectId.SNAPDIR}) {
            ascending.add(hashed(0).withSnap(snap));
        }
        assertOrder(ascending);
    }

    @Test
    @DisplayName("C7: generations by number, none last, after snaps")
    void generations() {
        List<ObjectId> ascending = new ArrayList<>();
        for (long snap : new long[] {1, ObjectId.HEAD}) {
            for (long generation : new long[] {0, 1, 17, Long.MAX_VALUE, Long.MIN_VALUE, ObjectId.NO_GENERATION}) {
                ascending.add(hashed(0).withSnap(snap).withGeneration(generation));
            }
        }
        assertOrder(ascending);
    }

    @Test
    @DisplayName("hobjectMax sorts after every object of its shard, max after everything")
    void bounds() {
        ObjectId last = full(3, Long.MAX_VALUE, -1, "\uffff", "", "\uffff", -1, -1);
        ObjectId ofShard = new ObjectId(
                (byte) 3, Long.MIN_VALUE, 0, ByteString.EMPTY, ByteString.EMPTY, ByteString.EMPTY, 0, -1, true, false);
        assertOrder(List.of(ObjectId.MIN, last, ofShard, hashed(0).withShard((byte) 4), ObjectId.MAX));
    }

    @Test
    @DisplayName("pools -2 - p are temporary in pool p")
    void temporaryPools() {
        assertThat(full(-1, -2, 0, "", "", "", -2, -1).isTemporary()).isTrue();
        assertThat(full(-1, -2, 0, "", "", "", -2, -1).logicalPool()).isZero();
        assertThat(full(-1, -4375, 0, "", "", "", -2, -1).logicalPool()).isEqualTo(4373);
        assertThat(ObjectId.meta(0, ByteString.EMPTY).isTemporary()).isFalse();
        assertThat(ObjectId.meta(0, ByteString.EMPTY).logicalPool()).isEqualTo(-1);
        assertThat(hashed(0).isTemporary()).isFalse();
        assertThat(hashed(0).logicalPool()).isEqualTo(1);
        assertThat(ObjectId.MIN.isTemporary()).isFalse();
        assertThat(ObjectId.MAX.isTemporary()).isFalse();
    }

    @Test
    void messagesShowEveryField() {
        assertThat(full(2, 3, 0x8000_0000, "ns", "key", "name\0", 4, 5))
                .hasToString("2#3:00000001:ns:key:name\\x00:4#5");
        assertThat(hashed(1)).hasToString("1:80000000:::o:head");
        assertThat(hashed(1).withSnap(ObjectId.SNAPDIR)).hasToString("1:80000000:::o:snapdir");
        assertThat(ObjectId.MAX).hasToString("MAX");
    }

    /** Few values for each field, so that equal ones meet. */
    @Provide
    Arbitrary<ObjectId> objects() {
        Arbitrary<ByteString> text =
                Arbitraries.of("", "a", "b", "ab", "\0", "\u00ff").map(ByteString::of);
        Arbitrary<Long> number = Arbitraries.of(-1L, -2L, 0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE);
        Arbitrary<List<ByteString>> texts = text.list().ofSize(3);
        Arbitrary<List<Long>> numbers = number.list().ofSize(3);
        return Combinators.combine(
                        Arbitraries.of((byte) -1, (byte) 0, (byte) 1),
                        Arbitraries.of(0, 1, 2, 3, Integer.MIN_VALUE, -1),
                        texts,
                        numbers,
                        Arbitraries.frequencyOf(
                                Tuple.of(9, Arbitraries.just(false)), Tuple.of(1, Arbitraries.just(true))),
                        Arbitraries.frequencyOf(
                                Tuple.of(9, Arbitraries.just(false)), Tuple.of(1, Arbitraries.just(true))))
                .as((shard, hash, t, n, hobjectMax, max) -> new ObjectId(
                        shard, n.get(0), hash, t.get(0), t.get(1), t.get(2), n.get(1), n.get(2), hobjectMax, max));
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void orderIsAntisymmetricAndAgreesWithEquals(@ForAll("objects") ObjectId a, @ForAll("objects") ObjectId b) {
        assertThat(Integer.signum(a.compareTo(b))).isEqualTo(-Integer.signum(b.compareTo(a)));
        assertThat(a.compareTo(b) == 0).isEqualTo(a.equals(b));
        if (a.equals(b)) {
            assertThat(a).hasSameHashCodeAs(b);
        }
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void orderOfRandomListsIsTransitive(@ForAll("objectLists") List<ObjectId> objects) {
        List<ObjectId> sorted = new ArrayList<>(objects);
        Collections.sort(sorted);
        for (int i = 0; i < sorted.size(); i++) {
            for (int j = i; j < sorted.size(); j++) {
                assertThat(sorted.get(i)).isLessThanOrEqualTo(sorted.get(j));
            }
        }
    }

    @Provide
    Arbitrary<List<ObjectId>> objectLists() {
        return objects().list().ofMinSize(3).ofMaxSize(12);
    }

    @Property
    void objectsOfAGroupAreNeighbours(@ForAll int one, @ForAll int other, @ForAll int third) {
        // Of three hashes in order, if the outer two share their low bits, the middle one does.
        List<Integer> sorted = new ArrayList<>(List.of(one, other, third));
        sorted.sort((x, y) -> hashed(x).compareTo(hashed(y)));
        int shared = Integer.numberOfTrailingZeros(sorted.get(0) ^ sorted.get(2));
        int mask = shared >= 32 ? -1 : (1 << shared) - 1;
        assertThat(sorted.get(1) & mask).isEqualTo(sorted.get(0) & mask);
    }
}
