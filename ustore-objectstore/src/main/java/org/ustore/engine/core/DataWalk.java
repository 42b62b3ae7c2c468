package org.ustore.engine.core;

import org.ustore.engine.container.MetadataStore;

/** Knows which keys of the metadata say where data is; the shard itself does not. */
public interface DataWalk {
    /** Told where data is, once for each time it is referred to. */
    @FunctionalInterface
    interface Visitor {
        /** {@code count} blocks from {@code first} on hold data. */
        void run(int first, int count);
    }

    /** Names all blocks that hold data. */
    void forEachRun(MetadataStore metadata, Visitor visitor);
}
