package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.iterator;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;
import static org.ustore.objectstore.testkit.StoreUnderTest.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Omap;
import org.ustore.objectstore.OmapIterator;
import org.ustore.objectstore.Transaction;

/** Omap keys, header and iterators. */
interface OmapContract extends StoreUnderTest {

    private static ObjectId o() {
        return object("o");
    }

    private void makeDigits() {
        Transaction t = new Transaction().remove(PG, o()).touch(PG, o()).omapSetHeader(PG, o(), bytes("header"));
        for (int i = 0; i < 10; i++) {
            t.omapSetKeys(PG, o(), entries("" + i, "value" + i));
        }
        apply(t);
    }

    private List<String> keys() {
        List<String> names = new ArrayList<>();
        pg().omapKeys(o()).forEach(key -> names.add(key.toUtf8()));
        return names;
    }

    @Test
    @DisplayName("B1.omap-simple: touch, keys and header in one transaction")
    default void simple() {
        apply(new Transaction()
                .touch(PG, o())
                .omapSetKeys(PG, o(), entries("foo", "foovalue", "bar", "barvalue"))
                .omapSetHeader(PG, o(), bytes("header")));
        Omap omap = pg().omap(o());
        assertThat(omap.header()).isEqualTo(bytes("header"));
        assertThat(omap.entries()).isEqualTo(entries("foo", "foovalue", "bar", "barvalue"));
        try (OmapIterator it = iterator(pg(), o())) {
            it.seekToFirst();
            assertThat(rest(it)).hasSize(2);
            it.lowerBound(ByteString.EMPTY);
            assertThat(rest(it)).hasSize(2);
        }
    }

    @Test
    @DisplayName("B1.omap: keys one by one in and out, checked each time")
    default void growAndShrink() {
        apply(new Transaction().touch(PG, o()).omapClear(PG, o()).omapSetKeys(PG, o(), Map.of()));
        Map<ByteString, ByteString> model = new TreeMap<>();
        for (int i = 0; i < 100; i++) {
            assertThat(pg().omap(o()).entries()).isEqualTo(model);
            Map<ByteString, ByteString> one = entries("key-" + i, "value-" + i + "\0");
            apply(new Transaction().omapSetKeys(PG, o(), one));
            model.putAll(one);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(pg().omap(o()).entries()).isEqualTo(model);
            apply(new Transaction().omapRemoveKeys(PG, o(), Set.of(bytes("key-" + i))));
            model.remove(bytes("key-" + i));
        }
        assertThat(pg().omap(o()).entries()).isEmpty();
    }

    @Test
    @DisplayName("C4.remove-range: removes [first, last), keeps the header")
    default void removeRange() {
        makeDigits();
        apply(new Transaction().omapRemoveKeyRange(PG, o(), bytes("3"), bytes("7")));
        assertThat(keys()).containsExactly("0", "1", "2", "7", "8", "9");
        assertThat(pg().omapHeader(o())).isEqualTo(bytes("header"));
        remount();
        assertThat(keys()).containsExactly("0", "1", "2", "7", "8", "9");
    }

    @Test
    @DisplayName("C4.remove-range-bounds: equal or swapped bounds remove nothing, an empty first means the start")
    default void removeRangeBounds() {
        makeDigits();
        apply(new Transaction()
                .omapRemoveKeyRange(PG, o(), bytes("3"), bytes("3"))
                .omapRemoveKeyRange(PG, o(), bytes("7"), bytes("3")));
        assertThat(keys()).hasSize(10);
        apply(new Transaction().omapRemoveKeyRange(PG, o(), ByteString.EMPTY, bytes("4")));
        assertThat(keys()).containsExactly("4", "5", "6", "7", "8", "9");
        apply(new Transaction().omapRemoveKeyRange(PG, o(), bytes("a"), bytes("z")));
        assertThat(keys()).hasSize(6);
        apply(new Transaction().omapRemoveKeyRange(PG, o(), bytes("55"), bytes("8\0")));
        assertThat(keys()).containsExactly("4", "5", "9");
    }

    @Test
    @DisplayName("C4.clear: removes keys and header, later keys start afresh")
    default void clear() {
        makeDigits();
        apply(new Transaction().omapClear(PG, o()).omapSetKeys(PG, o(), entries("x", "y")));
        assertThat(pg().omapHeader(o())).isEqualTo(ByteString.EMPTY);
        assertThat(pg().omap(o()).entries()).isEqualTo(entries("x", "y"));
        apply(new Transaction().omapClear(PG, o()));
        assertThat(pg().omap(o()).entries()).isEmpty();
        remount();
        assertThat(pg().omap(o()).entries()).isEmpty();
    }

    @Test
    @DisplayName("C4.header: without keys, replaced, reset by an empty one")
    default void header() {
        apply(new Transaction().touch(PG, o()).omapSetHeader(PG, o(), bytes("one")));
        assertThat(pg().omapHeader(o())).isEqualTo(bytes("one"));
        assertThat(pg().omapKeys(o())).isEmpty();
        apply(new Transaction().omapSetHeader(PG, o(), ByteString.wrap(pattern(1, 50_000))));
        assertThat(pg().omap(o()).header()).isEqualTo(ByteString.wrap(pattern(1, 50_000)));
        apply(new Transaction().omapSetHeader(PG, o(), ByteString.EMPTY));
        assertThat(pg().omapHeader(o())).isEqualTo(ByteString.EMPTY);
    }

    @Test
    @DisplayName("C4.missing-object: omap changes of a missing object are ignored and do not create it")
    default void omapOfMissingObject() {
        apply(new Transaction()
                .omapSetKeys(PG, o(), entries("k", "v"))
                .omapSetHeader(PG, o(), bytes("h"))
                .omapRemoveKeys(PG, o(), Set.of(bytes("k")))
                .omapRemoveKeyRange(PG, o(), bytes("a"), bytes("z"))
                .omapClear(PG, o()));
        assertThat(pg().exists(o())).isFalse();
        apply(new Transaction().touch(PG, o()));
        assertThat(pg().omap(o()).entries()).isEmpty();
        assertThat(pg().omapHeader(o())).isEqualTo(ByteString.EMPTY);
    }

    @Test
    @DisplayName("C4.none: an object without omap has an empty one and an iterator that is never valid")
    default void noOmap() {
        apply(new Transaction().touch(PG, o()));
        assertThat(pg().omap(o()).entries()).isEmpty();
        assertThat(pg().omap(o()).header()).isEqualTo(ByteString.EMPTY);
        try (OmapIterator it = iterator(pg(), o())) {
            assertThat(it.valid()).isFalse();
            it.seekToFirst();
            assertThat(it.valid()).isFalse();
            it.next();
            it.lowerBound(ByteString.EMPTY);
            assertThat(it.valid()).isFalse();
        }
    }

    @Test
    @DisplayName("C4.key-order: keys are arbitrary bytes in unsigned order, the empty key first; empty values")
    default void keyOrder() {
        List<ByteString> ordered = List.of(
                ByteString.EMPTY,
                ByteString.wrap(new byte[] {0}),
                ByteString.wrap(new byte[] {0, 0}),
                bytes("A.b-c"),
                bytes("a"),
                bytes("a\0"),
                bytes("n\0l"),
                bytes("na"),
                bytes("~z"),
                ByteString.wrap(new byte[] {(byte) 0x80}),
                ByteString.wrap(new byte[] {(byte) 0xff, (byte) 0xfe}),
                ByteString.wrap(new byte[] {(byte) 0xff, (byte) 0xff, 0}));
        Map<ByteString, ByteString> all = new TreeMap<>();
        ordered.forEach(key -> all.put(key, ByteString.EMPTY));
        apply(new Transaction().touch(PG, o()).omapSetKeys(PG, o(), all));
        remount();
        assertThat(new ArrayList<>(pg().omapKeys(o()))).isEqualTo(ordered);
        try (OmapIterator it = iterator(pg(), o())) {
            it.upperBound(ByteString.EMPTY);
            assertThat(it.key()).isEqualTo(ordered.get(1));
            for (int i = 0; i < ordered.size(); i++) {
                it.lowerBound(ordered.get(i));
                assertThat(it.key()).isEqualTo(ordered.get(i));
                it.upperBound(ordered.get(i));
                assertThat(it.valid()).isEqualTo(i + 1 < ordered.size());
                if (it.valid()) {
                    assertThat(it.key()).isEqualTo(ordered.get(i + 1));
                }
            }
        }
    }

    @Test
    @DisplayName("C4.bounds: lower bound is at or after, upper bound after; past the end is not valid")
    default void iteratorBounds() {
        makeDigits();
        try (OmapIterator it = iterator(pg(), o())) {
            it.lowerBound(bytes("5"));
            assertThat(it.key()).isEqualTo(bytes("5"));
            assertThat(it.value()).isEqualTo(bytes("value5"));
            it.upperBound(bytes("5"));
            assertThat(it.key()).isEqualTo(bytes("6"));
            it.lowerBound(bytes("55"));
            assertThat(it.key()).isEqualTo(bytes("6"));
            it.lowerBound(bytes("9a"));
            assertThat(it.valid()).isFalse();
            it.next();
            assertThat(it.valid()).isFalse();
            it.seekToFirst();
            assertThat(rest(it)).hasSize(10);
            it.upperBound(bytes("9"));
            assertThat(it.valid()).isFalse();
        }
    }

    @Test
    @DisplayName("C4.unknown-keys: values and checks of unknown keys leave them out, removals ignore them")
    default void unknownKeys() {
        makeDigits();
        Set<ByteString> asked = Set.of(bytes("1"), bytes("x"), bytes("5"), bytes("55"));
        assertThat(pg().omapValues(o(), asked)).isEqualTo(entries("1", "value1", "5", "value5"));
        assertThat(pg().omapExistingKeys(o(), asked)).containsExactly(bytes("1"), bytes("5"));
        assertThat(pg().omapValues(o(), Set.of())).isEmpty();
        apply(new Transaction().omapRemoveKeys(PG, o(), asked));
        assertThat(keys()).containsExactly("0", "2", "3", "4", "6", "7", "8", "9");
    }

    @Test
    @DisplayName("C4.remove-touch: set, remove and touch in one transaction leave no omap")
    default void removedWithObject() {
        makeDigits();
        apply(new Transaction()
                .omapSetKeys(PG, o(), entries("more", "x"))
                .remove(PG, o())
                .touch(PG, o()));
        assertThat(pg().omap(o()).entries()).isEmpty();
        assertThat(pg().omapHeader(o())).isEqualTo(ByteString.EMPTY);
    }

    @Test
    @DisplayName("C4.iterator-isolation: an iterator sees the omap as it was when it was made")
    default void iteratorIsolation() {
        makeDigits();
        try (OmapIterator it = iterator(pg(), o())) {
            it.lowerBound(bytes("4"));
            apply(new Transaction()
                    .omapSetKeys(PG, o(), entries("44", "later", "5", "changed"))
                    .omapRemoveKeyRange(PG, o(), bytes("6"), bytes("8")));
            assertThat(rest(it)).hasSize(6).containsEntry(bytes("5"), bytes("value5"));
            it.seekToFirst();
            assertThat(rest(it)).hasSize(10).doesNotContainKey(bytes("44"));
        }
        try (OmapIterator it = iterator(pg(), o())) {
            it.seekToFirst();
            assertThat(rest(it)).hasSize(9).containsEntry(bytes("5"), bytes("changed"));
        }
    }

    @Test
    @DisplayName("C4.iterator-removed-object: an iterator outlives its object's removal")
    default void iteratorOverRemoval() {
        makeDigits();
        try (OmapIterator it = iterator(pg(), o())) {
            it.seekToFirst();
            apply(new Transaction().remove(PG, o()));
            assertThat(pg().omapIterator(o())).isNull();
            assertThat(rest(it)).hasSize(10);
        }
    }

    @Test
    @DisplayName("C4.many-keys: 20000 keys, paged by iterator, cut by ranges, across a remount")
    default void manyKeys() {
        TreeMap<ByteString, ByteString> model = new TreeMap<>();
        apply(new Transaction().touch(PG, o()));
        for (int batch = 0; batch < 20; batch++) {
            Map<ByteString, ByteString> some = new TreeMap<>();
            for (int i = 0; i < 1000; i++) {
                int n = (batch * 1000 + i) * 7919 % 20_011;
                some.put(bytes(String.format("key-%05d", n)), ByteString.wrap(pattern(n, n % 97)));
            }
            apply(new Transaction().omapSetKeys(PG, o(), some));
            model.putAll(some);
        }
        apply(new Transaction()
                .omapRemoveKeyRange(PG, o(), bytes("key-05000"), bytes("key-14999x"))
                .omapSetKeys(PG, o(), entries("key-07777", "back")));
        model.subMap(bytes("key-05000"), bytes("key-14999x")).clear();
        model.putAll(entries("key-07777", "back"));
        for (int round = 0; round < 2; round++) {
            try (OmapIterator it = iterator(pg(), o())) {
                it.seekToFirst();
                assertThat(rest(it)).isEqualTo(model);
            }
            remount();
        }
    }
}
