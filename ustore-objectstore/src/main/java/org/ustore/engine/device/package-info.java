/**
 * Block devices, memory that can be read and written directly, and the checksum of everything on them. Knows nothing of
 * what is stored.
 *
 * <p>A device is read and written in two ways. Any thread may call the device itself and has its I/O done when the call
 * returns: at depth one nothing is faster. A thread with much to do opens a queue, which belongs to it alone, and has many
 * requests in flight; queues are io_uring, or, where that is forbidden, one request after the other. Neither knows of the
 * other: overlapping requests are the caller's to avoid.
 *
 * <pre>
 *   BlockDevice ---- read, write, flush ------------------ any thread
 *        |
 *        +-- IoQueue -- read, write, writeAndFlush, ... -- its owner        UringQueue | PortableQueue
 *               |
 *               +-- DeviceWriter -- write, finish -------- its owner, errors thrown
 * </pre>
 */
@NullMarked
package org.ustore.engine.device;

import org.jspecify.annotations.NullMarked;
