package org.ustore.ceph;

import java.util.ArrayList;
import java.util.List;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.OmapIterator;

/** Hands an omap iterator's entries to the shim in chunks. Used by one thread at a time. */
final class OmapCursor implements AutoCloseable {
    /** A chunk ends with the entry that brings it to this many bytes. */
    private static final long CHUNK_BYTES = 256 << 10;

    private final OmapIterator iterator;

    OmapCursor(OmapIterator iterator) {
        this.iterator = iterator;
    }

    void seekToFirst() {
        iterator.seekToFirst();
    }

    void lowerBound(ByteString key) {
        iterator.lowerBound(key);
    }

    void upperBound(ByteString key) {
        iterator.upperBound(key);
    }

    /**
     * Writes up to {@code max} entries from where the iterator stands: u32 1 if there are no more behind them, else 0;
     * then key and value of each. Returns their number.
     */
    int take(int max, Natives natives, long reply) {
        List<ByteString> entries = new ArrayList<>(2 * max);
        long bytes = 0;
        while (iterator.valid() && entries.size() < 2 * max && bytes < CHUNK_BYTES) {
            ByteString key = iterator.key();
            ByteString value = iterator.value();
            entries.add(key);
            entries.add(value);
            bytes += ReplyWriter.size(key) + ReplyWriter.size(value);
            iterator.next();
        }
        new ReplyWriter(natives, reply, 4 + bytes).put(iterator.valid() ? 0 : 1).put(entries);
        return entries.size() / 2;
    }

    @Override
    public void close() {
        iterator.close();
    }
}
