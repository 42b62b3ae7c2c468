package org.ustore.engine.objects;

import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.MetadataStore;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.core.DataWalk;

/** Finds the blocks that hold data in the places of all chunks. */
public final class PlacesWalk implements DataWalk {
    @Override
    public void forEachRun(MetadataStore metadata, Visitor visitor) {
        byte[] end = Keys.after(Keys.PLACES);
        try (Snapshot snapshot = metadata.snapshot()) {
            KeyIterator at = snapshot.iterator();
            for (at.seek(new byte[] {Keys.PLACES}); at.valid() && at.compareKey(end) < 0; at.next()) {
                Chunk.visit(at.value(), visitor);
            }
        }
    }
}
