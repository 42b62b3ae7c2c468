package org.ustore.objectstore.memory;

import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.OmapIterator;

/** Walks one immutable version of an omap. */
final class MemoryOmapIterator implements OmapIterator {
    private final NavigableMap<ByteString, ByteString> entries;
    private @Nullable Iterator<Map.Entry<ByteString, ByteString>> rest;
    private Map.@Nullable Entry<ByteString, ByteString> current;

    MemoryOmapIterator(NavigableMap<ByteString, ByteString> entries) {
        this.entries = entries;
    }

    @Override
    public void seekToFirst() {
        seek(entries);
    }

    @Override
    public void lowerBound(ByteString key) {
        seek(entries.tailMap(key, true));
    }

    @Override
    public void upperBound(ByteString key) {
        seek(entries.tailMap(key, false));
    }

    @Override
    public boolean valid() {
        return current != null;
    }

    @Override
    public void next() {
        current = current != null && rest != null && rest.hasNext() ? rest.next() : null;
    }

    @Override
    public ByteString key() {
        return entry().getKey();
    }

    @Override
    public ByteString value() {
        return entry().getValue();
    }

    @Override
    public void close() {
        current = null;
        rest = null;
    }

    private void seek(NavigableMap<ByteString, ByteString> from) {
        Iterator<Map.Entry<ByteString, ByteString>> iterator = from.entrySet().iterator();
        rest = iterator;
        current = iterator.hasNext() ? iterator.next() : null;
    }

    private Map.Entry<ByteString, ByteString> entry() {
        if (current == null) {
            throw new NoSuchElementException("the iterator does not stand on a key");
        }
        return current;
    }
}
