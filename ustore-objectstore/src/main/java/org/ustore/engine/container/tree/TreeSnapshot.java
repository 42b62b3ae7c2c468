package org.ustore.engine.container.tree;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.Snapshot;

/** A frozen tree whose pages stay until it is closed. */
final class TreeSnapshot implements Snapshot {
    private final PageCache cache;
    private final FrozenRoot root;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** {@code onClose} runs once. */
    TreeSnapshot(PageCache cache, FrozenRoot root, Runnable onClose) {
        this.cache = cache;
        this.root = root;
        this.onClose = onClose;
    }

    FrozenRoot root() {
        return root;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        checkOpen();
        return new Lookup(cache).get(root.ref(), key);
    }

    @Override
    public KeyIterator iterator() {
        checkOpen();
        return new TreeIterator(cache, root.ref());
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the snapshot is closed");
        }
    }

    @Override
    public long size() {
        return root.keys();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }
}
