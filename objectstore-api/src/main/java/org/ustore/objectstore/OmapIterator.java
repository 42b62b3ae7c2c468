package org.ustore.objectstore;

/**
 * A walk through the omap keys of one object in ascending order.
 *
 * <p>It sees the omap as it was when the iterator was made, whatever is written later. Used by one thread at a time. A
 * fresh iterator stands nowhere; seek first.
 */
public interface OmapIterator extends AutoCloseable {
    /** Goes to the first key. */
    void seekToFirst();

    /** Goes to the first key at or after {@code key}. */
    void lowerBound(ByteString key);

    /** Goes to the first key after {@code key}. */
    void upperBound(ByteString key);

    /** Whether the iterator stands on a key. */
    boolean valid();

    /** Goes to the following key; past the last one, {@link #valid} becomes false. Nothing happens if not valid. */
    void next();

    /** The key; only if {@link #valid}. */
    ByteString key();

    /** The value; only if {@link #valid}. */
    ByteString value();

    /** Lets go of the view; idempotent. */
    @Override
    void close();
}
