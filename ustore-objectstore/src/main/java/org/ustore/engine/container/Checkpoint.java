package org.ustore.engine.container;

/**
 * One checkpoint: begun, written, then installed or abandoned.
 *
 * <p>Until {@link #installed} nothing that the checkpoint before refers to is overwritten or freed, so a crash at any
 * moment finds that one intact.
 */
public interface Checkpoint {
    /**
     * Writes what changed since the last checkpoint and flushes the device, on any one thread, without the caller's lock.
     *
     * @return what the caller's superblock must now point to; everything below it is durable
     * @throws org.ustore.objectstore.ObjectStoreException {@code EIO} or {@code ENOSPC}; abandon it then
     */
    RootRef write();

    /** Writer: the superblock with the new root is durable. The pages it replaced become free, see {@link MetadataStore#work}. */
    void installed();

    /** Writer: gives up a checkpoint whose root is and never will be in no superblock; its changes wait for the next one. */
    void abandon();
}
