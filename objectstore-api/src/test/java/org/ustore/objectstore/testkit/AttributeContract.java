package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.assertCode;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Transaction;

/** Attributes. */
interface AttributeContract extends StoreUnderTest {

    private static ObjectId o() {
        return object("o");
    }

    @Test
    @DisplayName("B1.simple-attr: set, get, ENODATA for an unknown name")
    default void simpleAttributes() {
        assertThat(pg().isEmpty()).isTrue();
        assertCode(ErrorCode.ENOENT, () -> pg().attribute(o(), bytes("foo")));
        apply(new Transaction()
                .touch(PG, o())
                .setAttribute(PG, o(), bytes("foo"), bytes("value"))
                .setAttribute(PG, o(), bytes("bar"), bytes("other")));
        assertThat(pg().isEmpty()).isFalse();
        assertCode(ErrorCode.ENODATA, () -> pg().attribute(o(), bytes("nofoo")));
        assertThat(pg().attribute(o(), bytes("foo"))).isEqualTo(bytes("value"));
        assertThat(pg().attributes(o())).isEqualTo(entries("foo", "value", "bar", "other"));
    }

    @Test
    @DisplayName("B1.xattr: the last value set in a transaction wins; values of zeros, removal")
    default void lastValueWins() {
        ByteString small = ByteString.wrap(new byte[10]);
        ByteString big = ByteString.wrap(new byte[10_000]);
        apply(new Transaction()
                .touch(PG, o())
                .setAttribute(PG, o(), bytes("a"), small)
                .setAttribute(PG, o(), bytes("b"), big)
                .setAttribute(PG, o(), bytes("a"), big)
                .setAttribute(PG, o(), bytes("b"), small)
                .setAttribute(PG, o(), bytes("c"), small));
        assertThat(pg().attributes(o())).isEqualTo(Map.of(bytes("a"), big, bytes("b"), small, bytes("c"), small));
        apply(new Transaction().removeAttribute(PG, o(), bytes("a")));
        assertThat(pg().attributes(o())).isEqualTo(Map.of(bytes("b"), small, bytes("c"), small));
        assertCode(ErrorCode.ENODATA, () -> pg().attribute(o(), bytes("a")));
    }

    @Test
    @DisplayName("C3.missing-object: attributes of a missing object are ignored and do not create it")
    default void attributesOfMissingObject() {
        apply(new Transaction()
                .setAttributes(PG, o(), entries("a", "b"))
                .removeAttribute(PG, o(), bytes("a"))
                .removeAllAttributes(PG, o()));
        assertThat(pg().exists(o())).isFalse();
    }

    @Test
    @DisplayName("C3.remove-missing-attr: removing an attribute that is not there is ignored")
    default void removeUnknownAttribute() {
        apply(new Transaction().touch(PG, o()).removeAttribute(PG, o(), bytes("a")));
        assertThat(pg().attributes(o())).isEmpty();
    }

    @Test
    @DisplayName("C3.merge: setting several keeps the others")
    default void setMerges() {
        apply(new Transaction().touch(PG, o()).setAttributes(PG, o(), entries("a", "1", "b", "2")));
        apply(new Transaction().setAttributes(PG, o(), entries("b", "3", "c", "4")));
        assertThat(pg().attributes(o())).isEqualTo(entries("a", "1", "b", "3", "c", "4"));
        apply(new Transaction().setAttributes(PG, o(), Map.of()));
        assertThat(pg().attributes(o())).hasSize(3);
    }

    @Test
    @DisplayName("C3.remove-all: removes every attribute, keeps data and omap")
    default void removeAll() {
        apply(new Transaction()
                .write(PG, o(), 0, pattern(1, 10))
                .setAttributes(PG, o(), entries("a", "1", "b", "2"))
                .omapSetKeys(PG, o(), entries("k", "v"))
                .omapSetHeader(PG, o(), bytes("h")));
        apply(new Transaction().removeAllAttributes(PG, o()));
        assertThat(pg().attributes(o())).isEmpty();
        assertThat(readAll(o())).isEqualTo(pattern(1, 10));
        assertThat(pg().omap(o()).entries()).hasSize(1);
        assertThat(pg().omapHeader(o())).isEqualTo(bytes("h"));
    }

    @Test
    @DisplayName("C3.odd-names-and-values: long and strange names, empty name, empty and large values")
    default void oddNamesAndValues() {
        Map<ByteString, ByteString> odd = new TreeMap<>();
        for (String name :
                new String[] {"", "/", "%41", "@", " ", "\u0001\n\t", "sch\u00f6n", "a".repeat(255), "b".repeat(1000)
                }) {
            odd.put(bytes(name), bytes("value of " + name));
        }
        odd.put(ByteString.wrap(new byte[] {0, (byte) 0xff, 0}), ByteString.EMPTY);
        odd.put(bytes("large"), ByteString.wrap(pattern(1, 100_000)));
        apply(new Transaction().touch(PG, o()).setAttributes(PG, o(), odd));
        assertThat(pg().attributes(o())).isEqualTo(odd);
        remount();
        assertThat(pg().attributes(o())).isEqualTo(odd);
        odd.forEach((name, value) -> assertThat(pg().attribute(o(), name)).isEqualTo(value));
    }
}
