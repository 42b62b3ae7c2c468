package org.ustore.engine.container;

/**
 * A walk through the keys of a {@link Snapshot} in both directions, used by one thread at a time.
 *
 * <p>It stands before the first key, on a key, or behind the last one; {@link #next} and {@link #prev} lead from either
 * end back onto a key.
 */
public interface KeyIterator {
    /** Goes to the first key at or after {@code key}, or behind the last one. The empty key leads to the first. */
    void seek(byte[] key);

    /** Goes behind the last key, so that {@link #prev} leads onto it. */
    void seekToEnd();

    /** Whether it stands on a key. */
    boolean valid();

    /** Goes to the following key. */
    void next();

    /** Goes to the key before. */
    void prev();

    /**
     * A copy of the key.
     *
     * @throws IllegalStateException if not {@link #valid}
     */
    byte[] key();

    /** Compares the key with {@code other} without a copy: negative, 0 or positive; fails as {@link #key}. */
    int compareKey(byte[] other);

    /** A copy of the value; fails as {@link #key}. */
    byte[] value();
}
