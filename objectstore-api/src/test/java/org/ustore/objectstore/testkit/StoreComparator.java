package org.ustore.objectstore.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Omap;
import org.ustore.objectstore.OmapIterator;

/**
 * Compares everything that can be read of two mounted stores: collections and their bits, listings, sizes, data, fiemap,
 * attributes, omap by every way to read it.
 *
 * <p>Throws an {@link AssertionError} that names the first difference.
 */
public final class StoreComparator {
    private static final int PAGE = 37;

    private final ObjectStore expected;
    private final ObjectStore actual;

    private StoreComparator(ObjectStore expected, ObjectStore actual) {
        this.expected = expected;
        this.actual = actual;
    }

    /** Compares all collections. */
    public static void compare(ObjectStore expected, ObjectStore actual) {
        new StoreComparator(expected, actual).compareAll();
    }

    /** Compares one object, which may exist in both or in neither. */
    public static void compareObject(Collection expected, Collection actual, ObjectId object) {
        String where = object + " in " + expected.id();
        check(where, "exists", expected.exists(object), actual.exists(object));
        if (!expected.exists(object)) {
            return;
        }
        check(
                where,
                "size",
                expected.stat(object).sizeBytes(),
                actual.stat(object).sizeBytes());
        compareData(where, expected.read(object, 0, 0), actual.read(object, 0, 0));
        checkFiemap(actual, object, 0, Long.MAX_VALUE);
        compareAttributes(where, expected, actual, object);
        compareOmap(where, expected.omap(object), actual, object);
    }

    private void compareAll() {
        check("store", "collections", expected.listCollections(), actual.listCollections());
        for (CollectionId id : expected.listCollections()) {
            Collection left = open(expected, id);
            Collection right = open(actual, id);
            check(id.toString(), "bits", left.bits(), right.bits());
            check(id.toString(), "isEmpty", left.isEmpty(), right.isEmpty());
            List<ObjectId> objects = StoreUnderTest.listAll(left, PAGE);
            check(id.toString(), "listing", objects, StoreUnderTest.listAll(right, PAGE));
            for (ObjectId object : objects) {
                compareObject(left, right, object);
            }
        }
    }

    private static Collection open(ObjectStore store, CollectionId id) {
        Collection collection = store.openCollection(id);
        if (collection == null || !store.collectionExists(id)) {
            throw new AssertionError("listed collection " + id + " cannot be opened");
        }
        return collection;
    }

    /** Compares two runs of bytes and tells where they part. */
    static void compareData(String where, byte[] expected, byte[] actual) {
        int at = Arrays.mismatch(expected, actual);
        if (at < 0) {
            return;
        }
        throw new AssertionError(where + ": data differs at byte " + at + " (block " + at / 4096 + "): expected "
                + excerpt(expected, at) + " of " + expected.length + " bytes, got " + excerpt(actual, at) + " of "
                + actual.length);
    }

    private static String excerpt(byte[] data, int at) {
        return ByteString.copyOf(Arrays.copyOfRange(data, at, Math.max(at, Math.min(data.length, at + 16))))
                .toString();
    }

    /** Checks that a fiemap is well formed and that everything outside of it reads as zeros. */
    static void checkFiemap(Collection collection, ObjectId object, long offset, long length) {
        String where = object + " in " + collection.id() + " fiemap(" + offset + ", " + length + ")";
        long size = collection.stat(object).sizeBytes();
        long end = offset >= size ? offset : offset + Math.min(length, size - offset);
        long position = offset;
        List<Extent> map = collection.fiemap(object, offset, length);
        for (Extent extent : map) {
            if (extent.offset() < position || extent.end() > end || extent.length() == 0) {
                throw new AssertionError(where + ": extent " + extent + " of " + map + " out of order or outside "
                        + offset + ".." + end);
            }
            checkZeros(where, collection, object, position, extent.offset());
            position = extent.end();
        }
        checkZeros(where, collection, object, position, end);
    }

    private static void checkZeros(String where, Collection collection, ObjectId object, long from, long to) {
        long step = 1 << 20;
        for (long at = from; at < to; at += step) {
            byte[] data = collection.read(object, at, Math.min(step, to - at));
            compareData(where + " hole at " + at, new byte[data.length], data);
        }
    }

    private static void compareAttributes(String where, Collection expected, Collection actual, ObjectId object) {
        Map<ByteString, ByteString> attributes = expected.attributes(object);
        check(where, "attributes", new TreeMap<>(attributes), new TreeMap<>(actual.attributes(object)));
        attributes.forEach((name, value) -> check(where, "attribute " + name, value, actual.attribute(object, name)));
    }

    private static void compareOmap(String where, Omap expected, Collection actual, ObjectId object) {
        SortedMap<ByteString, ByteString> entries = expected.entries();
        check(where, "omap header", expected.header(), actual.omapHeader(object));
        Omap omap = actual.omap(object);
        check(where, "header of omap", expected.header(), omap.header());
        checkEntries(where, entries, omap.entries());
        check(where, "omap keys", List.copyOf(entries.keySet()), List.copyOf(actual.omapKeys(object)));
        OmapIterator iterator = actual.omapIterator(object);
        if (iterator == null) {
            throw new AssertionError(where + ": no iterator for an existing object");
        }
        try (iterator) {
            iterator.seekToFirst();
            checkEntries(where + " by iterator", entries, StoreUnderTest.rest(iterator));
        }
        Set<ByteString> some = Set.copyOf(
                entries.keySet().stream().filter(key -> key.hashCode() % 3 == 0).toList());
        SortedMap<ByteString, ByteString> wanted = new TreeMap<>(entries);
        wanted.keySet().retainAll(some);
        checkEntries(where + " by keys", wanted, actual.omapValues(object, some));
    }

    static void checkEntries(String where, Map<ByteString, ByteString> expected, Map<ByteString, ByteString> actual) {
        if (expected.equals(actual)) {
            return;
        }
        TreeMap<ByteString, ByteString> all = new TreeMap<>(expected);
        all.putAll(actual);
        for (ByteString key : all.keySet()) {
            check(where, "omap value of " + key, expected.get(key), actual.get(key));
        }
    }

    private static void check(String where, String what, @Nullable Object expected, @Nullable Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(where + ": " + what + ": expected " + expected + ", got " + actual);
        }
    }
}
