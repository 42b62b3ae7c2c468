package org.ustore.engine.container;

import org.jspecify.annotations.Nullable;

/** A {@link MetadataStore} as it was at one moment between two batches. Safe for use by any thread until closed. */
public interface Snapshot extends AutoCloseable {
    /** The value of {@code key}, or null. */
    byte @Nullable [] get(byte[] key);

    /** A new iterator, standing before the first key. It must not be used once the snapshot is closed. */
    KeyIterator iterator();

    /** Number of keys. */
    long size();

    /** Lets go of the view; idempotent. */
    @Override
    void close();
}
