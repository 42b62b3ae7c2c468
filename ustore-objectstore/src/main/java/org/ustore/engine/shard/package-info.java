/**
 * One shard: its lock, its log, its checkpoints and the three threads that serve them.
 *
 * <p>Any thread changes the metadata under the lock and appends a record of the change to the batch being filled. The
 * commit thread writes one batch at a time, flushes, and hands the callbacks to the finisher. The checkpoint thread
 * writes blocks that so far only the log holds to their places, then an image of all metadata, then the superblock, and
 * thereby frees the log before it.
 *
 * <p>The device:
 *
 * <pre>
 *  block 0      1      2                2 + log           end
 *        +------+------+----------------+-------------------+
 *        | superblock  | log, a ring of | data blocks and   |
 *        | two copies  | batches        | checkpoint images |
 *        +------+------+----------------+-------------------+
 * </pre>
 *
 * <p>Two rules make recovery right. A data block is never overwritten while the image on the device or a record in the
 * log after it refers to it: a freed block is not used again before the checkpoint that records its freeing is durable
 * (only a block that was never written, because its data is still in the log alone, comes back at once). And a batch is
 * reported as committed only after a flush that followed it, and everything it refers to, onto the device.
 */
@NullMarked
package org.ustore.engine.shard;

import org.jspecify.annotations.NullMarked;
