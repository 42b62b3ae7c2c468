/**
 * What a Ceph OSD expects of its object store, in Java: {@link org.ustore.objectstore.ObjectStore} holds
 * {@link org.ustore.objectstore.Collection collections} of objects, changed only by
 * {@link org.ustore.objectstore.Transaction transactions} and read through the collection.
 *
 * <p>The package depends on the JDK alone. It knows neither Ceph's binaries nor any engine; names, orders and
 * results are those of Ceph, so that an engine written against it can serve a real OSD through the bridge.
 *
 * <h2>Rules every store keeps</h2>
 *
 * <ul>
 *   <li>Transactions queued on one collection are applied and committed in the order queued. Different collections
 *       may run in parallel.
 *   <li>When {@code queueTransactions} returns, every read sees the transaction; it is durable when its commit
 *       callback runs, not before.
 *   <li>A transaction is applied as a whole or not at all. If an operation cannot be applied, nothing of the
 *       transaction becomes durable and the store fails: it refuses further work until it is mounted again.
 *   <li>Reads run on the caller's thread and may come from any thread at any time while the store is mounted.
 * </ul>
 */
@NullMarked
package org.ustore.objectstore;

import org.jspecify.annotations.NullMarked;
