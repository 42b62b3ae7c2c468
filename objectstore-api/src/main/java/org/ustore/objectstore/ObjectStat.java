package org.ustore.objectstore;

/**
 * The size of an object.
 *
 * @param sizeBytes logical size in bytes
 */
public record ObjectStat(long sizeBytes) {
    /** Unit in which space is accounted, in bytes. */
    public static final int BLOCK_BYTES = 4096;

    /** Logical size in blocks, rounded up. */
    public long blocks() {
        return (sizeBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    }
}
