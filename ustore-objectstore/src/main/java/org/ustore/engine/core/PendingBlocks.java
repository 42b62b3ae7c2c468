package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.space.IntIntMap;
import org.ustore.engine.space.IntList;

/**
 * Blocks whose data is durable in the log alone and is served from memory until a checkpoint has written it to its place.
 *
 * <p>The data lies in slots of one block outside the heap. A block staged after a checkpoint began is live; those the
 * checkpoint is writing are captured. Everything is called under the shard's lock, but {@link #slot}, which any thread
 * may use on a slot it holds.
 */
final class PendingBlocks {
    /** No such block. */
    static final int NONE = -1;

    private static final int CHUNK_SLOTS = 256;
    private static final int CHUNK_SHIFT = 8;

    private final int maxSlots;
    private volatile MemorySegment[] chunks = new MemorySegment[0];
    private final IntList freeSlots = new IntList();
    private IntIntMap live = new IntIntMap();
    private IntIntMap captured = new IntIntMap();

    /** Memory for about {@code maxSlots} blocks. */
    PendingBlocks(int maxSlots) {
        this.maxSlots = maxSlots;
    }

    /** Most slots that should be in use; more are given if asked for. */
    int maxSlots() {
        return maxSlots;
    }

    /** Slots that hold data or may still be read. */
    int usedSlots() {
        return chunks.length * CHUNK_SLOTS - freeSlots.size();
    }

    /** Keeps a copy of one block of data for device block {@code block}. */
    void stage(int block, MemorySegment data, long offset) {
        if (freeSlots.isEmpty()) {
            grow();
        }
        int slot = freeSlots.removeLast();
        MemorySegment.copy(data, offset, slot(slot), 0, BlockDevice.BLOCK_BYTES);
        live.put(block, slot);
    }

    private void grow() {
        int c = chunks.length;
        MemorySegment[] grown = Arrays.copyOf(chunks, c + 1);
        grown[c] = AlignedBuffers.allocate((long) CHUNK_SLOTS * BlockDevice.BLOCK_BYTES);
        chunks = grown;
        for (int i = CHUNK_SLOTS - 1; i >= 0; i--) {
            freeSlots.add((c << CHUNK_SHIFT) + i);
        }
    }

    /** The slot that holds {@code block}, or {@link #NONE}. */
    int find(int block) {
        int slot = live.get(block, NONE);
        return slot == NONE ? captured.get(block, NONE) : slot;
    }

    /** Takes a live block out and returns its slot, or {@link #NONE} if it is not a live one. */
    int removeLive(int block) {
        return live.remove(block, NONE);
    }

    /** Makes all live blocks captured; there are no captured ones. Returns them, sorted. */
    int[] capture() {
        assert captured.size() == 0;
        captured = live;
        live = new IntIntMap();
        int[] blocks = captured.keys();
        Arrays.sort(blocks);
        return blocks;
    }

    /** The data of a captured block; the checkpoint's thread, without the lock. */
    MemorySegment capturedSlot(int block) {
        return slot(captured.get(block, NONE));
    }

    /** Forgets the captured blocks and returns their slots. */
    int[] dropCaptured() {
        int[] slots = captured.keys();
        for (int i = 0; i < slots.length; i++) {
            slots[i] = captured.get(slots[i], NONE);
        }
        captured = new IntIntMap();
        return slots;
    }

    /** Takes a slot back that nothing reads any more. */
    void free(int slot) {
        freeSlots.add(slot);
    }

    /** The memory of a slot, one block. */
    MemorySegment slot(int slot) {
        return chunks[slot >>> CHUNK_SHIFT].asSlice(
                (long) (slot & (CHUNK_SLOTS - 1)) * BlockDevice.BLOCK_BYTES, BlockDevice.BLOCK_BYTES);
    }
}
