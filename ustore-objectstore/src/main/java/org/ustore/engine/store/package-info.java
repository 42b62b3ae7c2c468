/**
 * Objects on a shard: what each operation of a transaction does, how objects are read, and how a log record says what was
 * done.
 *
 * <p>A transaction is applied under the shard's lock by the thread that queues it: each operation is resolved into changes
 * that no longer depend on anything ({@link org.ustore.engine.store.Changes}), which are applied to the metadata and
 * written to the log record by two implementations of that interface. Replay feeds the changes of a record to the first
 * of them.
 */
@NullMarked
package org.ustore.engine.store;

import org.jspecify.annotations.NullMarked;
