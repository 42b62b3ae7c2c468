package org.ustore.objectstore;

/**
 * Space of a store or of one pool in it, in bytes: the fields of Ceph's {@code store_statfs_t}.
 *
 * @param total capacity
 * @param available what can still be written
 * @param internallyReserved kept back by the store itself
 * @param allocated space taken by object data
 * @param dataStored logical bytes written
 * @param dataCompressed bytes of compressed data
 * @param dataCompressedAllocated space taken by compressed data
 * @param dataCompressedOriginal size of that data before compression
 * @param omapAllocated space taken by omap
 * @param internalMetadata space taken by the store's own structures
 */
public record StoreStatistics(
        long total,
        long available,
        long internallyReserved,
        long allocated,
        long dataStored,
        long dataCompressed,
        long dataCompressedAllocated,
        long dataCompressedOriginal,
        long omapAllocated,
        long internalMetadata) {

    /** A store that does not compress and reserves nothing. */
    public static StoreStatistics plain(
            long total, long available, long allocated, long dataStored, long omapAllocated, long internalMetadata) {
        return new StoreStatistics(
                total, available, 0, allocated, dataStored, 0, 0, 0, omapAllocated, internalMetadata);
    }
}
