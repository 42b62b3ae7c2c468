package org.ustore.engine.device;

/** How queues of a file or block device do their I/O: the setting {@code io}. */
public enum IoMode {
    /** io_uring where the kernel allows it, else as {@link #PORTABLE}. */
    AUTO,
    /** io_uring; a device is not opened without. */
    URING,
    /** Java's own direct I/O, one request after the other on the calling thread. */
    PORTABLE
}
