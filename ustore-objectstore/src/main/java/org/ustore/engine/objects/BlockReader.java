package org.ustore.engine.objects;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.ustore.engine.core.ShardState;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Reads blocks of objects and verifies each against its checksum: a mismatch is read once more, then it is {@code EIO}.
 *
 * <p>Safe for use by any thread. Whole blocks go straight to the target where its memory allows direct I/O; everything
 * else goes through a pool of buffers.
 */
final class BlockReader {
    private static final System.Logger LOG = System.getLogger(BlockReader.class.getName());
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int BOUNCE_BLOCKS = 64;
    private static final int BOUNCE_BUFFERS = 32;

    private final BlockDevice device;
    private final ShardState state;
    private final AlignedBuffers bounce = new AlignedBuffers(BOUNCE_BLOCKS * BLOCK, BOUNCE_BUFFERS);

    BlockReader(ShardState state) {
        this.device = state.device();
        this.state = state;
    }

    /** Knows where an object's blocks are. */
    @FunctionalInterface
    interface Source {
        /** Fills in device block, or {@link Chunk#HOLE}, and checksum of the object's blocks from {@code first} on. */
        void locate(int first, int[] places, int[] checksums);
    }

    /** Where a range of an object's blocks was when the read began. */
    static final class Plan {
        final ObjectId object;
        final int first;
        /** Device block, 0 for a hole, or the complement of a slot. */
        final int[] places;

        final int[] checksums;

        private Plan(ObjectId object, int first, int count) {
            this.object = object;
            this.first = first;
            this.places = new int[count];
            this.checksums = new int[count];
        }
    }

    /** Notes where the blocks of a byte range are; under the lock, within the read guard until the read is done. */
    Plan plan(ObjectId object, Source source, long offset, long length) {
        int first = (int) (offset / BLOCK);
        int count = length == 0 ? 0 : (int) ((offset + length - 1) / BLOCK) - first + 1;
        Plan plan = new Plan(object, first, count);
        if (count > 0) {
            source.locate(first, plan.places, plan.checksums);
        }
        for (int i = 0; i < count; i++) {
            int slot = plan.places[i] == Chunk.HOLE ? -1 : state.pendingSlot(plan.places[i]);
            if (slot >= 0) {
                plan.places[i] = ~slot;
            }
        }
        return plan;
    }

    /** Fills {@code target} with {@code length} bytes from {@code offset} of the object planned. */
    void read(Plan plan, long offset, long length, MemorySegment target, long targetOffset) {
        int i = 0;
        while (i < plan.places.length) {
            int place = plan.places[i];
            if (place > 0) {
                int run = 1;
                while (i + run < plan.places.length && plan.places[i + run] == place + run) {
                    run++;
                }
                readRun(plan, i, run, offset, length, target, targetOffset);
                i += run;
            } else {
                readMemory(plan, i, offset, length, target, targetOffset);
                i++;
            }
        }
    }

    private void readMemory(Plan plan, int i, long offset, long length, MemorySegment target, long targetOffset) {
        long start = (long) (plan.first + i) * BLOCK;
        long from = Math.max(start, offset);
        long n = Math.min(start + BLOCK, offset + length) - from;
        long to = targetOffset + from - offset;
        if (plan.places[i] == Chunk.HOLE) {
            target.asSlice(to, n).fill((byte) 0);
            return;
        }
        MemorySegment slot = state.slot(~plan.places[i]);
        int found = Checksum.of(slot, 0, BLOCK);
        if (found != plan.checksums[i]) {
            throw mismatch(plan, i, found);
        }
        MemorySegment.copy(slot, from - start, target, to, n);
    }

    private void readRun(Plan plan, int i, int run, long offset, long length, MemorySegment target, long targetOffset) {
        long end = offset + length;
        int at = i;
        int last = i + run;
        while (at < last) {
            long start = (long) (plan.first + at) * BLOCK;
            long to = targetOffset + start - offset;
            int whole = start < offset ? 0 : (int) Math.min(last - at, (end - start) / BLOCK);
            if (whole > 0 && target.isNative() && ((target.address() + to) & (BLOCK - 1)) == 0) {
                readDirect(plan, at, whole, target, to);
                at += whole;
            } else {
                int n = Math.min(last - at, BOUNCE_BLOCKS);
                readBounced(plan, at, n, offset, end, target, targetOffset);
                at += n;
            }
        }
    }

    private void readDirect(Plan plan, int at, int count, MemorySegment target, long to) {
        long bytes = (long) count * BLOCK;
        ByteBuffer buffer = target.asSlice(to, bytes).asByteBuffer();
        device.read(buffer, (long) plan.places[at] * BLOCK);
        for (int b = 0; b < count; b++) {
            if (Checksum.of(buffer, b * BLOCK, BLOCK) != plan.checksums[at + b]) {
                reread(plan, at + b, target, to + (long) b * BLOCK);
            }
        }
    }

    private void reread(Plan plan, int i, MemorySegment target, long to) {
        ByteBuffer buffer = bounce.take();
        try {
            readAgain(plan, i, buffer, 0);
            MemorySegment.copy(MemorySegment.ofBuffer(buffer.clear()), 0, target, to, BLOCK);
        } finally {
            bounce.give(buffer);
        }
    }

    private void readBounced(
            Plan plan, int at, int count, long offset, long end, MemorySegment target, long targetOffset) {
        ByteBuffer buffer = bounce.take();
        try {
            device.read(buffer.limit(count * BLOCK), (long) plan.places[at] * BLOCK);
            buffer.clear();
            for (int b = 0; b < count; b++) {
                if (Checksum.of(buffer, b * BLOCK, BLOCK) != plan.checksums[at + b]) {
                    readAgain(plan, at + b, buffer, b * BLOCK);
                }
            }
            long start = (long) (plan.first + at) * BLOCK;
            long from = Math.max(start, offset);
            long n = Math.min(start + (long) count * BLOCK, end) - from;
            MemorySegment.copy(
                    MemorySegment.ofBuffer(buffer.clear()), from - start, target, targetOffset + from - offset, n);
        } finally {
            bounce.give(buffer);
        }
    }

    private void readAgain(Plan plan, int i, ByteBuffer buffer, int at) {
        device.read(buffer.limit(at + BLOCK).position(at), (long) plan.places[i] * BLOCK);
        buffer.clear();
        int found = Checksum.of(buffer, at, BLOCK);
        if (found != plan.checksums[i]) {
            throw mismatch(plan, i, found);
        }
        LOG.log(
                Level.WARNING,
                "object {0} device block {1} did not match its checksum when first read, but did the second time",
                plan.object,
                plan.places[i]);
    }

    private ObjectStoreException mismatch(Plan plan, int i, int found) {
        int place = plan.places[i];
        ObjectStoreException e = new ObjectStoreException(
                ErrorCode.EIO,
                String.format(
                        "checksum mismatch: object=%s offset=%d %s expected=%08x found=%08x; repair the PG from its other copies (ceph pg repair)",
                        plan.object,
                        (long) (plan.first + i) * BLOCK,
                        place < 0 ? "in memory" : "device block=" + place,
                        plan.checksums[i],
                        found));
        LOG.log(Level.ERROR, e.getMessage());
        return e;
    }
}
