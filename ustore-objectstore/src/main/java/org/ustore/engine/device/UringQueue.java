package org.ustore.engine.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A queue on a ring of its own. Requests are numbered slots; a write with its flush is two linked entries of one slot. What
 * the kernel did only in part is asked for again from where it stopped.
 *
 * <p>The kernel hands every flush of a ring to a thread of its own, which costs a tenth to a quarter of a commit. So a flush, or a
 * write with its flush, that finds the queue empty is kept back: if the owner's next step is to wait for it, it is done by
 * plain calls on the owner's thread; anything else gives it to the ring.
 *
 * <p>Memory is handed to the kernel as it is, not registered: registered memory counts against the limit of locked memory,
 * which an OSD does not have, and saves little at 4 KiB.
 */
final class UringQueue implements IoQueue {
    /** Longest piece of a transfer that is asked for at once; the kernel itself stops short of 2 GiB. */
    private static final long MAX_PIECE_BYTES = 1L << 30;

    private static final int MAX_RETRIES = 100;
    private static final int PUNCH_HOLE_KEEP_SIZE = 3;

    /** The kernel's side: entries go in, completions come out. Used by one thread at a time. */
    interface Ring extends AutoCloseable {
        /** Adds an entry, of which there are never more than the ring has; the kernel sees it at the next {@link #enter}. */
        void add(int opcode, int flags, long position, long address, int length, int opFlags, long userData);

        /** Whether {@link #enter} would submit anything. */
        boolean hasUnsubmitted();

        /** Submits what was added and waits until {@code least} completions are there; may return with fewer. */
        void enter(int least);

        /** Hands over the completions that are there. */
        void reap(Sink sink);

        /** Gives the ring back; nothing is in flight. */
        @Override
        void close();
    }

    /** Takes one completion. */
    @FunctionalInterface
    interface Sink {
        /** {@code result} is that of the system call the entry stands for, or a negative errno. */
        void completion(long userData, int result);
    }

    /** One request in flight. */
    private static final class Slot {
        final long userData;
        long token;
        int opcode;
        boolean flush;
        /** Null for what transfers nothing. */
        @Nullable MemorySegment memory;

        long position;
        long lengthBytes;
        long doneBytes;
        /** Completions the kernel still owes. */
        int owed;

        int errno;
        int retries;
        /** The linked flush has not been done. */
        boolean flushMissing;

        Slot(int number) {
            this.userData = 2L * number;
        }
    }

    private final FileBlockDevice device;
    private final DeviceHandle handle;
    private final Ring ring;
    private final IoCompletion completion;
    private final Slot[] slots;
    private final Slot[] free;
    private int freeSlots;
    /** Completions the kernel owes for all requests. */
    private int owed;

    private int ended;
    /** The one request there is, a flush, not yet given to the ring. */
    private @Nullable Slot kept;

    /** A queue on a ring with room for twice {@code depth} entries. */
    UringQueue(FileBlockDevice device, DeviceHandle handle, int depth, IoCompletion completion, Ring ring) {
        this.device = device;
        this.handle = handle;
        this.completion = completion;
        this.slots = new Slot[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = new Slot(i);
        }
        this.free = slots.clone();
        this.freeSlots = depth;
        this.ring = ring;
    }

    /** A queue of {@code depth} on a device's handle. */
    static UringQueue open(FileBlockDevice device, DeviceHandle handle, int depth, IoCompletion completion)
            throws UringUnavailableException {
        return new UringQueue(device, handle, depth, completion, new UringRing(2 * depth, handle.fd()));
    }

    // ---- requests ----

    @Override
    public void read(MemorySegment target, long position, long token) {
        device.checkRange("read", target, position);
        Slot _ = start(UringRing.OP_READ, target, position, target.byteSize(), false, token);
    }

    @Override
    public void write(MemorySegment source, long position, long token) {
        device.checkRange("write", source, position);
        Slot _ = start(UringRing.OP_WRITE, source, position, source.byteSize(), false, token);
    }

    @Override
    public void writeAndFlush(MemorySegment source, long position, long token) {
        device.checkRange("write", source, position);
        Slot _ = start(UringRing.OP_WRITE, source, position, source.byteSize(), true, token);
    }

    @Override
    public void flush(long token) {
        Slot _ = start(UringRing.OP_FSYNC, null, 0, 0, true, token);
    }

    @Override
    public void discard(long position, long lengthBytes, long token) {
        device.checkDiscard(position, lengthBytes);
        if (handle.isBlockDevice()) {
            // Kernels of today's releases have no entry for it: it is done here, and its result sent round the ring.
            start(UringRing.OP_NOP, null, 0, 0, false, token).errno = handle.discard(position, lengthBytes);
        } else {
            Slot _ = start(UringRing.OP_FALLOCATE, null, position, lengthBytes, false, token);
        }
    }

    private Slot start(
            int opcode, @Nullable MemorySegment memory, long position, long lengthBytes, boolean flush, long token) {
        makeRoom();
        Slot slot = free[--freeSlots];
        slot.token = token;
        slot.opcode = opcode;
        slot.memory = memory;
        slot.position = position;
        slot.lengthBytes = lengthBytes;
        slot.doneBytes = 0;
        slot.flush = flush;
        slot.flushMissing = flush;
        slot.errno = 0;
        slot.retries = 0;
        if (flush && inFlight() == 1) {
            kept = slot;
        } else {
            giveKept();
            add(slot);
        }
        return slot;
    }

    private void giveKept() {
        Slot slot = kept;
        if (slot != null) {
            kept = null;
            add(slot);
        }
    }

    /** Does the request kept back, if there is one, at once. */
    private void runKept() {
        Slot slot = kept;
        if (slot == null) {
            return;
        }
        kept = null;
        MemorySegment memory = slot.memory;
        slot.errno = PortableQueue.run(() -> {
            if (memory != null) {
                device.write(memory.asByteBuffer(), slot.position);
            }
            device.flush();
        });
        end(slot);
    }

    private void makeRoom() {
        while (freeSlots == 0) {
            int _ = await();
        }
    }

    /** Adds what is left of a request to the ring. */
    private void add(Slot slot) {
        long left = slot.lengthBytes - slot.doneBytes;
        MemorySegment memory = slot.memory;
        if (memory != null && left > 0) {
            int piece = (int) Math.min(left, MAX_PIECE_BYTES);
            boolean link = slot.flush && piece == left;
            ring.add(
                    slot.opcode,
                    link ? UringRing.FLAG_LINK : 0,
                    slot.position + slot.doneBytes,
                    memory.address() + slot.doneBytes,
                    piece,
                    0,
                    slot.userData);
            owe(slot);
            if (link) {
                addFlush(slot);
            }
        } else if (slot.flush) {
            addFlush(slot);
        } else {
            // The entry of a fallocate has the length in place of the address and the mode in place of the length.
            int mode = slot.opcode == UringRing.OP_FALLOCATE ? PUNCH_HOLE_KEEP_SIZE : 0;
            ring.add(slot.opcode, 0, slot.position, slot.lengthBytes, mode, 0, slot.userData);
            owe(slot);
        }
    }

    private void addFlush(Slot slot) {
        ring.add(UringRing.OP_FSYNC, 0, 0, 0, 0, UringRing.FSYNC_DATASYNC, slot.userData + 1);
        owe(slot);
    }

    private void owe(Slot slot) {
        slot.owed++;
        owed++;
    }

    // ---- completions ----

    private void completed(long userData, int result) {
        Slot slot = slots[(int) (userData / 2)];
        slot.owed--;
        owed--;
        boolean again = result == -Kernel.EAGAIN || result == -Kernel.EINTR;
        if (userData != slot.userData) {
            flushCompleted(slot, result);
        } else if (result < 0) {
            fail(slot, again && slot.retries++ < MAX_RETRIES ? 0 : -result);
        } else if (slot.memory != null) {
            // Nothing transferred is the end of the device, which the range check excludes unless it has shrunk.
            fail(slot, result == 0 ? Kernel.EIO : 0);
            slot.doneBytes += result;
        } else {
            slot.doneBytes = slot.lengthBytes;
        }
        if (slot.owed == 0) {
            ended(slot);
        }
    }

    private static void flushCompleted(Slot slot, int result) {
        // Cancelled: the write before it failed or was short, which its own completion says.
        boolean again = result == -Kernel.EAGAIN || result == -Kernel.EINTR || result == -Kernel.ECANCELED;
        if (result >= 0) {
            slot.flushMissing = false;
        } else if (!again || slot.retries++ >= MAX_RETRIES) {
            fail(slot, -result);
        }
    }

    private static void fail(Slot slot, int errno) {
        if (slot.errno == 0) {
            slot.errno = errno;
        }
    }

    private void ended(Slot slot) {
        if (slot.errno == 0 && (slot.doneBytes < slot.lengthBytes || slot.flushMissing)) {
            add(slot);
        } else {
            end(slot);
        }
    }

    private void end(Slot slot) {
        slot.memory = null;
        free[freeSlots++] = slot;
        ended++;
        completion.completed(slot.token, slot.errno);
    }

    // ---- waiting ----

    @Override
    public void submit() {
        giveKept();
        if (ring.hasUnsubmitted()) {
            ring.enter(0);
        }
    }

    @Override
    public int await() {
        ended = 0;
        runKept();
        while (ended == 0 && inFlight() > 0) {
            // One request alone is waited for in one call, its flush included.
            ring.enter(inFlight() == 1 ? owed : 1);
            ring.reap(this::completed);
        }
        return ended;
    }

    @Override
    public void drain() {
        runKept();
        while (inFlight() > 0) {
            ring.enter(owed);
            ring.reap(this::completed);
        }
    }

    @Override
    public int inFlight() {
        return slots.length - freeSlots;
    }

    @Override
    public void close() {
        try {
            drain();
        } finally {
            ring.close();
        }
    }
}
