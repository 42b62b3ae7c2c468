package org.ustore.objectstore;

/**
 * A range of bytes of an object.
 *
 * @param offset first byte, not negative
 * @param length number of bytes, not negative
 */
public record Extent(long offset, long length) {
    /** Checks that neither value is negative. */
    public Extent {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException("negative extent: offset=" + offset + " length=" + length);
        }
    }

    /** The byte after the last. */
    public long end() {
        return offset + length;
    }
}
