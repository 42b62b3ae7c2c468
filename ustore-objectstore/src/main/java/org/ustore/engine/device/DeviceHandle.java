package org.ustore.engine.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A file descriptor of a file or block device, opened with O_DIRECT, that excludes other users while it is open: a block
 * device with O_EXCL, which file systems and volume managers respect too, a file with a lock of the open file description,
 * which, unlike one of the process, no other descriptor of this process can lose.
 *
 * <p>Safe for use by any thread; nothing may be called during or after {@link #close}.
 */
final class DeviceHandle implements AutoCloseable {
    private static final int O_RDWR = 2;
    private static final int O_EXCL = 0x80;
    private static final int O_DIRECT = 0x4000;
    private static final int O_CLOEXEC = 0x80000;
    private static final long BLKDISCARD = 0x1277;
    private static final long BLKGETSIZE64 = 0x80081272L;
    private static final long F_OFD_SETLK = 37;
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final long FLOCK_BYTES = 32;
    private static final long PUNCH_HOLE_KEEP_SIZE = 3;

    private final int fd;
    private final boolean blockDevice;
    private final long sizeBytes;

    private DeviceHandle(int fd, boolean blockDevice, long sizeBytes) {
        this.fd = fd;
        this.blockDevice = blockDevice;
        this.sizeBytes = sizeBytes;
    }

    /**
     * Opens what is at {@code path}; several may have it open for reading if it is a file.
     *
     * @throws ObjectStoreException {@code ENOENT} if there is nothing, {@code EBUSY} if it is in use, {@code EIO} otherwise
     */
    static DeviceHandle open(Path path, boolean readOnly) {
        if (Files.isDirectory(path)) {
            throw noDevice(path, "a folder");
        }
        boolean file = Files.isRegularFile(path);
        int flags = O_DIRECT | O_CLOEXEC | (readOnly ? 0 : O_RDWR) | (file ? 0 : O_EXCL);
        long fd;
        try (Arena arena = Arena.ofConfined()) {
            fd = Kernel.call(Kernel.OPEN, arena.allocateFrom(path.toString()).address(), flags, 0, 0);
        }
        if (fd < 0) {
            throw cannotOpen(path, (int) -fd);
        }
        try {
            if (file) {
                lock((int) fd, path, readOnly);
            }
            return new DeviceHandle((int) fd, !file, file ? Files.size(path) : blockDeviceBytes((int) fd, path));
        } catch (java.io.IOException | RuntimeException e) {
            long _ = Kernel.call(Kernel.CLOSE, fd, 0, 0, 0);
            throw e instanceof ObjectStoreException known
                    ? known
                    : new ObjectStoreException(ErrorCode.EIO, "cannot open " + path + ": " + e.getMessage(), e);
        }
    }

    private static ObjectStoreException cannotOpen(Path path, int errno) {
        return switch (errno) {
            case Kernel.ENOENT ->
                new ObjectStoreException(
                        ErrorCode.ENOENT, "no device at " + path + "; make the store first (ceph-osd --mkfs)");
            case Kernel.EBUSY -> inUse(path, "mounted, part of a volume or RAID, or open in another OSD or tool");
            case Kernel.EINVAL ->
                new ObjectStoreException(
                        ErrorCode.EIO,
                        "cannot open " + path + " for direct I/O: " + Kernel.describe(errno)
                                + "; put it on a file system that supports O_DIRECT");
            default ->
                new ObjectStoreException(
                        ErrorCode.EIO,
                        "cannot open " + path + ": " + Kernel.describe(errno) + "; check its path and permissions");
        };
    }

    private static ObjectStoreException noDevice(Path path, String found) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                path + " is neither a file nor a block device: " + found + "; set device in ustore.conf to one");
    }

    private static ObjectStoreException inUse(Path path, String by) {
        return new ObjectStoreException(
                ErrorCode.EBUSY,
                path + " is in use: " + by + "; stop what uses it (see lsblk and lsof " + path
                        + ") or give another device");
    }

    /** Locks the whole file: a struct flock of type, whence, start, length. */
    private static void lock(int fd, Path path, boolean shared) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flock = arena.allocate(FLOCK_BYTES, Long.BYTES);
            flock.set(ValueLayout.JAVA_SHORT, 0, shared ? F_RDLCK : F_WRLCK);
            long result = Kernel.call(Kernel.FCNTL, fd, F_OFD_SETLK, flock.address(), 0);
            if (result == -Kernel.EAGAIN || result == -Kernel.EACCES) {
                throw inUse(path, "locked by another OSD or tool");
            }
            if (result < 0) {
                throw new ObjectStoreException(
                        ErrorCode.EIO, "cannot lock " + path + ": " + Kernel.describe((int) -result));
            }
        }
    }

    private static long blockDeviceBytes(int fd, Path path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            long result = Kernel.call(Kernel.IOCTL, fd, BLKGETSIZE64, size.address(), 0);
            if (result < 0) {
                throw noDevice(path, Kernel.describe((int) -result));
            }
            return size.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    int fd() {
        return fd;
    }

    /** Whether it is a block device, not a file. */
    boolean isBlockDevice() {
        return blockDevice;
    }

    /** Size in bytes when it was opened, a multiple of nothing. */
    long sizeBytes() {
        return sizeBytes;
    }

    /** Lets the device forget a range, on the calling thread; returns 0 or the errno. */
    int discard(long position, long lengthBytes) {
        if (!blockDevice) {
            return (int) -Kernel.call(Kernel.FALLOCATE, fd, PUNCH_HOLE_KEEP_SIZE, position, lengthBytes);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment range = arena.allocateFrom(ValueLayout.JAVA_LONG, position, lengthBytes);
            return (int) -Kernel.call(Kernel.IOCTL, fd, BLKDISCARD, range.address(), 0);
        }
    }

    @Override
    public void close() {
        long _ = Kernel.call(Kernel.CLOSE, fd, 0, 0, 0);
    }
}
