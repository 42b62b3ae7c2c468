package org.ustore.engine.objects;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.Snapshot;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.OmapIterator;

/** Walks through an object's omap in a snapshot of the metadata, which it closes. */
final class OmapCursor implements OmapIterator {
    private final Snapshot snapshot;
    private final KeyIterator at;
    private final long nid;
    private final byte[] end;
    private boolean standing;
    private boolean closed;
    private @Nullable ByteString key;

    OmapCursor(Snapshot snapshot, long nid) {
        this.snapshot = snapshot;
        this.at = snapshot.iterator();
        this.nid = nid;
        this.end = Keys.omapEnd(nid);
    }

    private void seek(byte[] target) {
        checkOpen();
        at.seek(target);
        moved();
    }

    private void moved() {
        standing = at.valid() && at.compareKey(end) < 0;
        key = null;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("omap iterator is closed");
        }
    }

    @Override
    public void seekToFirst() {
        seek(Keys.omapStart(nid));
    }

    @Override
    public void lowerBound(ByteString bound) {
        seek(Keys.omap(nid, bound));
    }

    @Override
    public void upperBound(ByteString bound) {
        byte[] target = Keys.omap(nid, bound);
        // The next key after any is the same with a zero behind it.
        seek(Arrays.copyOf(target, target.length + 1));
    }

    @Override
    public boolean valid() {
        checkOpen();
        return standing;
    }

    @Override
    public void next() {
        if (valid()) {
            at.next();
            moved();
        }
    }

    @Override
    public ByteString key() {
        checkStanding();
        ByteString present = key;
        if (present == null) {
            present = Keys.omapKeyOf(at.key());
            key = present;
        }
        return present;
    }

    @Override
    public ByteString value() {
        checkStanding();
        return ByteString.wrap(at.value());
    }

    private void checkStanding() {
        if (!valid()) {
            throw new IllegalStateException("omap iterator stands on no key");
        }
    }

    @Override
    public void close() {
        closed = true;
        snapshot.close();
    }
}
