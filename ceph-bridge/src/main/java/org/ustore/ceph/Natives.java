package org.ustore.ceph;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The shim's functions, and its memory.
 *
 * <p>The table at the address given to {@link #link} holds three function addresses: {@code reply_alloc}, {@code commit}
 * and {@code log}.
 */
final class Natives {
    /** All of the process's memory. Addresses from the shim are offsets into it. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final MethodHandle replyAlloc;
    private final MethodHandle commit;
    private final MethodHandle log;

    private Natives(MethodHandle replyAlloc, MethodHandle commit, MethodHandle log) {
        this.replyAlloc = replyAlloc;
        this.commit = commit;
        this.log = log;
    }

    /** Binds the functions of the table at {@code table}. */
    static Natives link(long table) {
        Linker linker = Linker.nativeLinker();
        ValueLayout.OfLong address = ValueLayout.JAVA_LONG;
        return new Natives(
                linker.downcallHandle(function(table, 0), FunctionDescriptor.of(address, address, address)),
                linker.downcallHandle(function(table, 1), FunctionDescriptor.ofVoid(address)),
                linker.downcallHandle(
                        function(table, 2), FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, address, address)));
    }

    private static MemorySegment function(long table, int index) {
        return MemorySegment.ofAddress(MEMORY.get(ValueLayout.JAVA_LONG, table + 8L * index));
    }

    /** Memory for the result of the running call, of exactly {@code bytes} bytes; belongs to the shim. */
    MemorySegment allocate(long reply, long bytes) {
        if (bytes == 0) {
            return NOTHING;
        }
        long address;
        try {
            address = (long) replyAlloc.invokeExact(reply, bytes);
        } catch (Throwable t) {
            throw new AssertionError("reply_alloc", t);
        }
        if (address == 0) {
            throw new ObjectStoreException(ErrorCode.ENOMEM, "no memory for a result of " + bytes + " bytes");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Tells the shim that a batch is durable; to be called in commit order per collection. */
    void commit(long batch) {
        try {
            commit.invokeExact(batch);
        } catch (Throwable t) {
            throw new AssertionError("commit", t);
        }
    }

    /** Writes a line of {@code bytes} bytes at {@code address} into the OSD's log. */
    void log(int priority, long address, long bytes) {
        try {
            log.invokeExact(priority, address, bytes);
        } catch (Throwable t) {
            throw new AssertionError("log", t);
        }
    }
}
