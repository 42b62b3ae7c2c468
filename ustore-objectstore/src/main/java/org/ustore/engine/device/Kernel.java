package org.ustore.engine.device;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * System calls of Linux, for what Java's own I/O cannot do: exclusive opening, discarding, io_uring. Numbers and flags are
 * those of amd64, the one architecture the store runs on. Safe for use by any thread.
 */
final class Kernel {
    static final long OPEN = 2;
    static final long CLOSE = 3;
    static final long MMAP = 9;
    static final long MUNMAP = 11;
    static final long IOCTL = 16;
    static final long FCNTL = 72;
    static final long FALLOCATE = 285;
    static final long URING_SETUP = 425;
    static final long URING_ENTER = 426;
    static final long URING_REGISTER = 427;

    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EBUSY = 16;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;
    static final int ENOSYS = 38;
    static final int EOPNOTSUPP = 95;
    static final int ECANCELED = 125;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(1));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final int MAX_TEXT_BYTES = 256;

    private Kernel() {}

    /** Memory that {@link #call} needs; one call at a time may use it. */
    static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    /** Makes a call that takes up to six arguments; returns its result, or the negative errno. May block. */
    static long call(MemorySegment state, long number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, f);
            return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
        } catch (Throwable t) {
            throw new IllegalStateException("system call " + number + " could not be made", t);
        }
    }

    /** As the other, for what is called seldom. */
    static long call(long number, long a, long b, long c, long d) {
        try (Arena arena = Arena.ofConfined()) {
            return call(newState(arena), number, a, b, c, d, 0, 0);
        }
    }

    /** An errno for people: number and text. */
    static String describe(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return "errno=" + errno + " (" + text.reinterpret(MAX_TEXT_BYTES).getString(0) + ")";
        } catch (Throwable t) {
            throw new IllegalStateException("strerror could not be called", t);
        }
    }
}
