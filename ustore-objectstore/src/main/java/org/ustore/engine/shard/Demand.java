package org.ustore.engine.shard;

/**
 * The most that a group of transactions may take, known before any of it is applied.
 *
 * @param dataBlocks blocks of data to allocate
 * @param metadataBytes growth of the metadata, in bytes of the image
 * @param purpose which of the space kept back they may use
 */
public record Demand(long dataBlocks, long metadataBytes, Purpose purpose) {
    /** Who may use the last of the space. */
    public enum Purpose {
        /** Adds data: uses nothing of what is kept back. */
        DATA,
        /** Changes metadata: leaves enough for deletes. */
        METADATA,
        /** Deletes something: may use all. */
        DELETE
    }
}
