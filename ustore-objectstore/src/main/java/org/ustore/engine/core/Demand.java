package org.ustore.engine.core;

/**
 * The most that a group of transactions may take, known before any of it is applied.
 *
 * @param dataBlocks blocks of data to allocate
 * @param metadataBytes growth of the metadata, in bytes
 * @param pages most pages of metadata that change, besides those the growth fills
 * @param purpose which of the space kept back they may use
 */
public record Demand(long dataBlocks, long metadataBytes, long pages, Purpose purpose) {
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
