/**
 * The metadata container on a block device: a copy-on-write B+ tree with a bounded cache of pages.
 *
 * <p><b>Pages.</b> Leaves hold keys and values, inner pages the bounds of their children, where these are on the device,
 * their checksums and how many keys are below. So a page is verified by its parent, up to the {@link
 * org.ustore.engine.container.RootRef} in the superblock, and a lost, stale or misdirected write is noticed like a flipped
 * bit. A value too long for a page is cut into parts that are cells of their own; there is no other kind of page. The
 * bytes are drawn at {@code PageFormat}.
 *
 * <pre>
 *  superblock --> root --> inner pages --> leaves
 *                 each pointer: first block, blocks, checksum, keys below
 * </pre>
 *
 * <p><b>Copy on write.</b> Time is cut into epochs. Freezing the tree, for a snapshot or a checkpoint, only starts another
 * one: pages of earlier epochs never change again, the writer copies them when it has to, and goes on changing the copy in
 * place as long as the epoch lasts. A replaced page is kept until no snapshot, no read and no checkpoint under way
 * can see it, and on the device until a root that does without it is in the superblock ({@code Epochs}).
 *
 * <p><b>Batches.</b> First every page a batch can touch is brought into memory ({@code Preparer}); only this can fail.
 * Then the change is made, in memory, under a lock held for just that ({@code BatchApplier}, {@code Tree}), and pages left
 * sparse are merged ({@code Tidier}). A range delete cuts off whole subtrees, and {@code work} retires their pages bit by
 * bit, without reading a leaf. After a crash nothing need be resumed: free space is rebuilt from the pages the tree
 * reaches, and those were cut off.
 *
 * <p><b>Threads.</b> The writer, under the caller's lock: all changes. One thread at a time: the writing of a checkpoint.
 * Any thread: reads. Those of the present tree take no lock but check afterwards that no change came in between; those of
 * a frozen tree need not even that.
 */
@NullMarked
package org.ustore.engine.container.tree;

import org.jspecify.annotations.NullMarked;
