package org.ustore.engine.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * One io_uring on one file: the two rings shared with the kernel, and the call that moves them on.
 *
 * <p>Java and kernel share two pieces of memory: the rings (heads, tails, an index of submissions, completions) and the
 * submission entries. Each side moves one end of each ring, with release, and reads the other, with acquire. The file is
 * registered, so that the ring keeps it open and cannot come to mean another one.
 *
 * <p>Used by one thread at a time. The kernel reads and writes the memory of requests until they complete: whoever makes
 * them keeps it reachable until then.
 */
final class UringRing implements UringQueue.Ring {
    static final int OP_NOP = 0;
    static final int OP_FSYNC = 3;
    static final int OP_FALLOCATE = 17;
    static final int OP_READ = 22;
    static final int OP_WRITE = 23;
    /** The next entry starts only when this one has succeeded, in full; else it is cancelled. */
    static final int FLAG_LINK = 4;

    static final int FSYNC_DATASYNC = 1;

    private static final int FLAG_FIXED_FILE = 1;
    private static final int REGISTER_FILES = 2;
    private static final int UNREGISTER_FILES = 3;
    private static final int ENTER_GETEVENTS = 1;
    /** Completions are noticed when the thread enters the kernel anyway, not by interrupting it. */
    private static final int SETUP_COOP_TASKRUN = 1 << 8;

    private static final int FEATURES = 3; // both rings in one mapping; completions are never dropped
    private static final long OFFSET_RINGS = 0;
    private static final long OFFSET_ENTRIES = 0x10000000L;
    private static final long PROT_READ_WRITE = 3;
    private static final long MAP_SHARED_POPULATE = 0x8001;
    private static final int PARAMS_BYTES = 120;
    private static final int ENTRY_BYTES = 64;
    private static final int COMPLETION_BYTES = 16;
    private static final int MAX_BUSY_RETRIES = 10_000;
    private static final long BUSY_NANOS = 1_000_000;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED = INT.varHandle();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment state = Kernel.newState(arena);
    private final int fd;
    private final MemorySegment rings;
    private final MemorySegment entries;
    private final int entryMask;
    private final int completionMask;
    private final long submitTail;
    private final long completeHead;
    private final long completeTail;
    private final long completions;
    /** Entries made so far; the kernel has been shown those before {@code tail - unsubmitted}. */
    private int tail;

    private int unsubmitted;
    private int head;

    /** Makes a ring for {@code size} entries at once on {@code file}. */
    UringRing(int size, int file) throws UringUnavailableException {
        MemorySegment params = arena.allocate(PARAMS_BYTES, Long.BYTES);
        this.fd = setup(size, params);
        try {
            // struct io_sqring_offsets lies at 40 (head, tail, mask, entries, flags, dropped, array), io_cqring_offsets
            // at 80 (head, tail, mask, entries, overflow, cqes).
            int entryCount = params.get(INT, 0);
            int completionCount = params.get(INT, 4);
            long array = params.get(INT, 64);
            this.completions = params.get(INT, 100);
            long ringBytes = Math.max(
                    array + (long) entryCount * Integer.BYTES, completions + (long) completionCount * COMPLETION_BYTES);
            this.rings = map(ringBytes, OFFSET_RINGS);
            this.entries = map((long) entryCount * ENTRY_BYTES, OFFSET_ENTRIES);
            this.entryMask = rings.get(INT, params.get(INT, 48));
            this.completionMask = rings.get(INT, params.get(INT, 88));
            this.submitTail = params.get(INT, 44);
            this.completeHead = params.get(INT, 80);
            this.completeTail = params.get(INT, 84);
            for (int i = 0; i < entryCount; i++) {
                rings.set(INT, array + (long) i * Integer.BYTES, i);
            }
            register(file);
        } catch (UringUnavailableException | RuntimeException e) {
            closeRing();
            throw e;
        }
    }

    private int setup(int size, MemorySegment params) throws UringUnavailableException {
        params.set(INT, 8, SETUP_COOP_TASKRUN);
        long result = Kernel.call(state, Kernel.URING_SETUP, size, params.address(), 0, 0, 0, 0);
        if (result == -Kernel.EINVAL) {
            // A kernel before 5.19 does not know the flag.
            params.fill((byte) 0);
            result = Kernel.call(state, Kernel.URING_SETUP, size, params.address(), 0, 0, 0, 0);
        }
        if (result < 0) {
            arena.close();
            throw new UringUnavailableException("io_uring_setup", (int) -result);
        }
        if ((params.get(INT, 20) & FEATURES) != FEATURES) {
            long _ = Kernel.call(Kernel.CLOSE, result, 0, 0, 0);
            arena.close();
            throw new UringUnavailableException("io_uring of this kernel is too old", Kernel.ENOSYS);
        }
        return (int) result;
    }

    private MemorySegment map(long bytes, long offset) throws UringUnavailableException {
        long address = Kernel.call(state, Kernel.MMAP, 0, bytes, PROT_READ_WRITE, MAP_SHARED_POPULATE, fd, offset);
        if (address < 0) {
            throw new UringUnavailableException("mapping the ring", (int) -address);
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, mapped -> {
            long _ = Kernel.call(Kernel.MUNMAP, mapped.address(), bytes, 0, 0);
        });
    }

    private void register(int file) throws UringUnavailableException {
        MemorySegment files = arena.allocateFrom(INT, file);
        long result = Kernel.call(state, Kernel.URING_REGISTER, fd, REGISTER_FILES, files.address(), 1, 0, 0);
        if (result < 0) {
            throw new UringUnavailableException("registering the file", (int) -result);
        }
    }

    @Override
    public void add(int opcode, int flags, long position, long address, int length, int opFlags, long userData) {
        long at = (long) (tail & entryMask) * ENTRY_BYTES;
        entries.asSlice(at, ENTRY_BYTES).fill((byte) 0);
        entries.set(ValueLayout.JAVA_BYTE, at, (byte) opcode);
        entries.set(ValueLayout.JAVA_BYTE, at + 1, (byte) (flags | FLAG_FIXED_FILE));
        entries.set(LONG, at + 8, position);
        entries.set(LONG, at + 16, address);
        entries.set(INT, at + 24, length);
        entries.set(INT, at + 28, opFlags);
        entries.set(LONG, at + 32, userData);
        tail++;
        unsubmitted++;
        assert unsubmitted <= entryMask + 1 : "more entries than the ring holds";
    }

    @Override
    public boolean hasUnsubmitted() {
        return unsubmitted > 0;
    }

    @Override
    public void enter(int least) {
        SHARED.setRelease(rings, submitTail, tail);
        for (int retry = 0; ; retry++) {
            long flags = least > 0 ? ENTER_GETEVENTS : 0;
            long result = Kernel.call(state, Kernel.URING_ENTER, fd, unsubmitted, least, flags, 0, 0);
            if (result >= 0) {
                unsubmitted -= (int) result;
                return;
            }
            boolean busy = result == -Kernel.EAGAIN || result == -Kernel.EBUSY;
            if (busy && hasCompletions()) {
                return;
            }
            if ((!busy && result != -Kernel.EINTR) || retry == MAX_BUSY_RETRIES) {
                throw new ObjectStoreException(
                        ErrorCode.EIO,
                        "io_uring_enter failed: " + Kernel.describe((int) -result) + " retries=" + retry);
            }
            if (busy) {
                LockSupport.parkNanos(BUSY_NANOS);
            }
        }
    }

    private boolean hasCompletions() {
        return head != (int) SHARED.getAcquire(rings, completeTail);
    }

    @Override
    public void reap(UringQueue.Sink sink) {
        int end = (int) SHARED.getAcquire(rings, completeTail);
        while (head != end) {
            long at = completions + (long) (head & completionMask) * COMPLETION_BYTES;
            long userData = rings.get(LONG, at);
            int result = rings.get(INT, at + 8);
            head++;
            SHARED.setRelease(rings, completeHead, head);
            sink.completion(userData, result);
        }
    }

    /** Gives the ring back; nothing is in flight. */
    @Override
    public void close() {
        // The kernel ends a ring some time later; without this the file would stay open, and locked, until then.
        long _ = Kernel.call(state, Kernel.URING_REGISTER, fd, UNREGISTER_FILES, 0, 0, 0, 0);
        closeRing();
    }

    private void closeRing() {
        long _ = Kernel.call(Kernel.CLOSE, fd, 0, 0, 0);
        arena.close();
    }
}
