/**
 * The Java side of the native shim that puts a store into a stock Ceph OSD.
 *
 * <p>The shim ({@code libustore-ceph-*.so}) creates the JVM inside the OSD's process and calls the static methods of
 * {@link org.ustore.ceph.Bridge} from the OSD's own threads. Names of objects and collections come in a form that is the
 * same for all Ceph releases; transactions are read in place from the OSD's memory. Results of variable size are written
 * into memory that the shim allocates when Java knows the size: for data reads it is the very buffer the OSD sends.
 *
 * <pre>
 *   OSD thread ─ slot of the shim ─ JNI ─ Bridge ─ Collection / ObjectStore
 *                                            └─ FFM ─ reply_alloc          (same thread, during the call)
 *   store's finisher ─ onCommit ─ FFM ─ commit ─ the PG's queue in the OSD
 * </pre>
 *
 * <p>No exception leaves {@code Bridge}: reads answer an errno, a transaction that fails makes the shim stop the process.
 */
@NullMarked
package org.ustore.ceph;

import org.jspecify.annotations.NullMarked;
