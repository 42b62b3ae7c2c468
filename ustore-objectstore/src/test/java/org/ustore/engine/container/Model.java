package org.ustore.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a {@link MetadataStore} should hold: a sorted map, changed by the same batches in the plainest way. */
public final class Model implements WriteBatch.Target {
    private final NavigableMap<byte[], byte[]> entries;

    /** Nothing. */
    public Model() {
        this.entries = new TreeMap<>(Arrays::compareUnsigned);
    }

    private Model(NavigableMap<byte[], byte[]> entries) {
        this.entries = entries;
    }

    /** As it is now; values are shared, they are never changed. */
    public Model copy() {
        return new Model(new TreeMap<>(entries));
    }

    /** Number of keys. */
    public int size() {
        return entries.size();
    }

    /** The value or null. */
    public byte @Nullable [] get(byte[] key) {
        return entries.get(key);
    }

    /** A key at or after {@code from}, or null. */
    public byte @Nullable [] keyFrom(byte[] from) {
        return entries.ceilingKey(from);
    }

    @Override
    public void put(byte[] bytes, int key, int keyLength, int value, int valueLength) {
        entries.put(cut(bytes, key, keyLength), cut(bytes, value, valueLength));
    }

    @Override
    public void delete(byte[] bytes, int key, int keyLength) {
        entries.remove(cut(bytes, key, keyLength));
    }

    @Override
    public void deleteRange(byte[] bytes, int from, int fromLength, int to, int toLength) {
        byte[] first = cut(bytes, from, fromLength);
        byte[] end = cut(bytes, to, toLength);
        if (Arrays.compareUnsigned(first, end) < 0) {
            entries.subMap(first, end).clear();
        }
    }

    @Override
    public void patch(byte[] bytes, int key, int keyLength, int offset, int data, int dataLength) {
        byte[] name = cut(bytes, key, keyLength);
        byte[] old = entries.getOrDefault(name, new byte[0]);
        byte[] value = Arrays.copyOf(old, Math.max(old.length, offset + dataLength));
        System.arraycopy(bytes, data, value, offset, dataLength);
        entries.put(name, value);
    }

    private static byte[] cut(byte[] bytes, int at, int length) {
        return Arrays.copyOfRange(bytes, at, at + length);
    }

    /** Fails unless the walks in both directions, every get and the size are those of this model. */
    public void assertSame(Snapshot snapshot, String when) {
        assertThat(snapshot.size()).as(when).isEqualTo(size());
        KeyIterator walk = snapshot.iterator();
        walk.seek(new byte[0]);
        for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
            assertEntry(walk, entry, when);
            assertThat(snapshot.get(entry.getKey())).as(when).isEqualTo(entry.getValue());
            walk.next();
        }
        assertThat(walk.valid()).as(when).isFalse();
        for (Map.Entry<byte[], byte[]> entry : entries.descendingMap().entrySet()) {
            walk.prev();
            assertEntry(walk, entry, when);
        }
        walk.prev();
        assertThat(walk.valid()).as(when).isFalse();
    }

    private static void assertEntry(KeyIterator walk, Map.Entry<byte[], byte[]> entry, String when) {
        String where = when + ", at key " + HexFormat.of().formatHex(entry.getKey());
        assertThat(walk.valid()).as(where).isTrue();
        assertThat(walk.key()).as(where).isEqualTo(entry.getKey());
        assertThat(walk.compareKey(entry.getKey())).as(where).isZero();
        // isEqualTo on long arrays is slow when it holds.
        if (!Arrays.equals(walk.value(), entry.getValue())) {
            assertThat(walk.value()).as(where).isEqualTo(entry.getValue());
        }
    }
}
