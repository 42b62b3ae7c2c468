package org.ustore.engine.device;

/** The place a store is kept at: makes and opens its device. */
public interface DeviceProvider {
    /** Whether there is something to open. */
    boolean exists();

    /** Makes a device of {@code sizeBytes} bytes, all zeros, where there is none. */
    void create(long sizeBytes);

    /** Takes back a {@link #create} that did not lead to a store. */
    void remove();

    /**
     * Opens the device, excluding others.
     *
     * @throws org.ustore.objectstore.ObjectStoreException {@code ENOENT} if there is none, {@code EBUSY} if it is in use
     */
    BlockDevice open(boolean readOnly);
}
