package org.ustore.engine.store;

import org.jspecify.annotations.Nullable;
import org.ustore.engine.meta.SortedTable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.OmapIterator;

/** Walks a snapshot of an omap; needs no lock. */
final class TableOmapIterator implements OmapIterator {
    private SortedTable.@Nullable Cursor<ByteString, ByteString> cursor;

    /** Walks {@code snapshot}, which nobody changes. */
    TableOmapIterator(SortedTable<ByteString, ByteString> snapshot) {
        this.cursor = snapshot.cursor();
    }

    private SortedTable.Cursor<ByteString, ByteString> cursor() {
        SortedTable.Cursor<ByteString, ByteString> open = cursor;
        if (open == null) {
            throw new IllegalStateException("omap iterator is closed");
        }
        return open;
    }

    @Override
    public void seekToFirst() {
        cursor().first();
    }

    @Override
    public void lowerBound(ByteString key) {
        cursor().lowerBound(key);
    }

    @Override
    public void upperBound(ByteString key) {
        cursor().upperBound(key);
    }

    @Override
    public boolean valid() {
        return cursor().valid();
    }

    @Override
    public void next() {
        if (valid()) {
            cursor().next();
        }
    }

    @Override
    public ByteString key() {
        return standing().key();
    }

    @Override
    public ByteString value() {
        return standing().value();
    }

    private SortedTable.Cursor<ByteString, ByteString> standing() {
        if (!valid()) {
            throw new IllegalStateException("omap iterator stands on no key");
        }
        return cursor();
    }

    @Override
    public void close() {
        cursor = null;
    }
}
