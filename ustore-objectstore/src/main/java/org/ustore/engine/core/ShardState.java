package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.tree.TreeStore;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.space.FreeSpace;
import org.ustore.engine.space.IntIntMap;
import org.ustore.engine.space.IntList;
import org.ustore.engine.space.ReadGuard;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * What a shard knows: the metadata's container, free space, reference counts, pending blocks. Belongs to whoever holds the
 * shard's lock, or to the one thread that recovers or checks the store; of the container, reads belong to all.
 */
public final class ShardState {
    private final BlockDevice device;
    private final ReentrantLock lock = new ReentrantLock();
    private final FreeSpace space;
    private final PagePool pages;
    private final TreeStore tree;
    private final long cacheBytes;
    private final ReadGuard guard = new ReadGuard();
    private final PendingBlocks pending;
    /** Reference counts of the blocks that have more than one. */
    private final IntIntMap shared = new IntIntMap();
    /** Freed since the last checkpoint began. */
    private IntList freed = new IntList();

    private final int reservedBlocks;
    private volatile long changes;

    ShardState(BlockDevice device, int totalBlocks, int reservedBlocks, int maxSlots, long cacheBytes, RootRef root) {
        this.device = device;
        this.reservedBlocks = reservedBlocks;
        this.space = new FreeSpace(totalBlocks, reservedBlocks);
        this.pages = new PagePool(space, lock);
        this.pending = new PendingBlocks(maxSlots);
        this.cacheBytes = cacheBytes;
        this.tree = TreeStore.open(device, pages, cacheBytes, root);
    }

    /** The device. */
    public BlockDevice device() {
        return device;
    }

    /** What everything here belongs to. */
    public ReentrantLock lock() {
        return lock;
    }

    /** The metadata. */
    public TreeStore tree() {
        return tree;
    }

    /** How often the metadata has changed; any thread. */
    public long changes() {
        return changes;
    }

    /** Notes that metadata, or what is kept of it elsewhere, is about to change or has; under the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
    void changed() {
        changes++;
    }

    /** Memory for pages of metadata, in bytes. */
    long cacheBytes() {
        return cacheBytes;
    }

    FreeSpace space() {
        return space;
    }

    PagePool pages() {
        return pages;
    }

    /** What keeps blocks from being used again under a reader. */
    public ReadGuard guard() {
        return guard;
    }

    PendingBlocks pending() {
        return pending;
    }

    int freedBlocks() {
        return freed.size();
    }

    /** Blocks freed so far; starts a new list. */
    IntList takeFreed() {
        IntList taken = freed;
        freed = new IntList();
        return taken;
    }

    /** Most blocks that a checkpoint beginning now would write. */
    long dirtyBlocks() {
        return (tree.dirtyBytes() + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES;
    }

    /** Allocates blocks, each with one reference; admission has seen to it that enough are free. */
    public int[] allocate(int count) {
        if (count > space.freeBlocks()) {
            throw new ObjectStoreException(
                    ErrorCode.ENOSPC, "no space: blocks wanted=" + count + " free=" + space.freeBlocks());
        }
        return space.allocate(count);
    }

    /** Gives back blocks that were allocated but never referred to by a record. */
    public void giveBack(int[] blocks) {
        for (int block : blocks) {
            space.release(block);
        }
    }

    /** Marks a block that a replayed record allocated. */
    void markAllocated(int block) {
        if (block <= 0 || block >= space.totalBlocks() || !space.markUsed(block)) {
            throw new ObjectStoreException(ErrorCode.EIO, "log record allocates block " + block + ", which is in use");
        }
    }

    /** Checks a block that a replayed record refers to. */
    void checkAllocated(int block) {
        if (block <= 0 || block >= space.totalBlocks() || !space.isUsed(block)) {
            throw new ObjectStoreException(ErrorCode.EIO, "log record refers to block " + block + ", which is free");
        }
    }

    /** Adds a reference to an allocated block. */
    void reference(int block) {
        shared.put(block, shared.get(block, 1) + 1);
    }

    /** Drops a reference; true if it was the last, and the block is free or will be after the next checkpoint. */
    boolean dereference(int block) {
        int count = shared.get(block, 1);
        if (count > 2) {
            shared.put(block, count - 1);
            return false;
        }
        if (count == 2) {
            shared.remove(block, 0);
            return false;
        }
        int slot = pending.removeLive(block);
        if (slot == PendingBlocks.NONE) {
            freed.add(block);
        } else {
            guard.retire(~slot);
            space.release(block);
        }
        return true;
    }

    /** Keeps the data of a block that only the log holds. */
    void stage(int block, MemorySegment data, long offset) {
        pending.stage(block, data, offset);
    }

    /** The slot that holds {@code block}, negative if it is on the device. */
    public int pendingSlot(int block) {
        return pending.find(block);
    }

    /** The memory of a slot; any thread inside the guard. */
    public MemorySegment slot(int slot) {
        return pending.slot(slot);
    }

    /** Takes back what the guard hands out: a block, or the complement of a slot. */
    void reuse(int id) {
        if (id < 0) {
            pending.free(~id);
        } else {
            space.release(id);
        }
    }

    /** Whether a block is in use, reserved or waiting to be free. */
    public boolean isUsed(int block) {
        return space.isUsed(block);
    }

    /** How often a block is referred to. */
    public int references(int block) {
        return shared.get(block, 1);
    }

    /** References to blocks beyond the first one of each. */
    public long extraReferences() {
        long extra = 0;
        for (int block : shared.keys()) {
            extra += shared.get(block, 1) - 1;
        }
        return extra;
    }

    /** Compares the number of blocks in use with those that must be, if {@code referred} hold data; one line if wrong. */
    public List<String> checkSpace(long referred) {
        int used = space.totalBlocks() - space.freeBlocks();
        long expected = reservedBlocks + (long) pages.usedBlocks() + pages.freeBlocks() + freed.size() + referred;
        return used == expected ? List.of() : List.of("blocks in use: expected=" + expected + " found=" + used);
    }

    /** Derives free space and reference counts from the metadata just opened; what is wrong goes to {@code errors}. */
    void rebuild(DataWalk walk, List<String> errors) {
        tree.forEachPage((block, blocks) -> {
            if (!pages.markUsed(block, blocks)) {
                errors.add("metadata page overlaps another structure: block=" + block + " blocks=" + blocks);
            }
        });
        FreeSpace withoutData = space.copy();
        walk.forEachRun(tree, (first, count) -> {
            for (int i = 0; i < count; i++) {
                claim(first + i, withoutData, errors);
            }
        });
    }

    /** Marks or counts a block that holds data. */
    private void claim(int block, FreeSpace withoutData, List<String> errors) {
        if (block <= 0 || block >= space.totalBlocks() || withoutData.isUsed(block)) {
            errors.add("data block " + block + " is outside the data area or belongs to the metadata");
        } else if (!space.markUsed(block)) {
            reference(block);
        }
    }
}
