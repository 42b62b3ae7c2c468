package org.ustore.objectstore;

/** The errors a store reports, each with the Linux errno an OSD knows it by. */
public enum ErrorCode {
    /** No such object, collection or file. */
    ENOENT(2),
    /** The device failed, or its content does not match its checksum. */
    EIO(5),
    /** Out of memory. */
    ENOMEM(12),
    /** In use by another process. */
    EBUSY(16),
    /** Exists already. */
    EEXIST(17),
    /** Malformed input, or a setting out of range. */
    EINVAL(22),
    /** An object would grow beyond {@link ObjectStore#MAX_OBJECT_BYTES}. */
    E2BIG(7),
    /** No space is left on the device. */
    ENOSPC(28),
    /** A collection that is to be removed still holds objects. */
    ENOTEMPTY(39),
    /** The object has no such attribute. */
    ENODATA(61),
    /** Not supported by this store. */
    EOPNOTSUPP(95),
    /** The store has failed and must be mounted again. */
    ESHUTDOWN(108);

    private final int errno;

    ErrorCode(int errno) {
        this.errno = errno;
    }

    /** The Linux errno, positive. */
    public int errno() {
        return errno;
    }
}
