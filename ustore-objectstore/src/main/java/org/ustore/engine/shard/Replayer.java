package org.ustore.engine.shard;

import org.ustore.engine.meta.ByteReader;

/** Knows what log records mean; the log itself does not. */
public interface Replayer {
    /** Whether all data that the record says lies on the device is there; changes nothing. */
    boolean dataIsThere(ShardState state, ByteReader record);

    /** Applies a record. */
    void replay(ShardState state, ByteReader record);
}
