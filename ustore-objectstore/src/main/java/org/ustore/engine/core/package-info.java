/**
 * The shard on a metadata container: lock, log, checkpoints, free space. It is to take the place of {@code shard} and is not
 * used by {@link org.ustore.engine.UStore} yet.
 *
 * <p>Any thread changes metadata and blocks under the lock ({@code Change}) and thereby notes the events in the log record
 * being filled. The commit thread writes one batch of records at a time and flushes. The checkpoint thread writes blocks
 * that so far only the log holds to their places, then the metadata's changed pages, then the superblock, and thereby
 * frees the log before it. After a crash free space is rebuilt from the pages and the places of data that the last
 * checkpoint refers to, and the log's events are carried out again.
 *
 * <pre>
 *  block 0      1      2                2 + log           end
 *        +------+------+----------------+-------------------+
 *        | superblock  | log, a ring of | data blocks and   |
 *        | two copies  | batches        | metadata pages    |
 *        +------+------+----------------+-------------------+
 * </pre>
 *
 * <p>A block is never overwritten while the checkpoint on the device or a record after it refers to it. A batch is
 * reported as committed only after a flush that followed it, and everything it refers to.
 */
@NullMarked
package org.ustore.engine.core;

import org.jspecify.annotations.NullMarked;
