/**
 * The metadata container: ordered byte keys with byte values, changed by atomic batches, read at any time through
 * snapshots.
 *
 * <p>{@link org.ustore.engine.container.MetadataStore} is the contract for all media; one conformance test holds every
 * implementation to it. Durability is shared with the caller. {@code apply} changes memory only; the caller's log holds
 * the encoded {@link org.ustore.engine.container.WriteBatch}es and a crash is undone by replaying them onto the last
 * {@link org.ustore.engine.container.Checkpoint}. A batch says what the values become, so replaying one that the
 * checkpoint already holds changes nothing as long as those after it are replayed as well.
 *
 * <p>Threads: one writer at a time, which the caller's lock sees to; readers on any thread without that lock.
 */
@NullMarked
package org.ustore.engine.container;

import org.jspecify.annotations.NullMarked;
