package org.ustore.engine.device;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A file or block device, opened with O_DIRECT and with others excluded.
 *
 * <p>Calls that return when the I/O is done go through Java's channel; queues use io_uring where the kernel allows it.
 */
public final class FileBlockDevice implements BlockDevice {
    private static final System.Logger LOG = System.getLogger(FileBlockDevice.class.getName());
    private static final OpenOption O_DIRECT = directOption();
    private static final AtomicBoolean FALLBACK_LOGGED = new AtomicBoolean();

    /** Makes queues on io_uring. */
    @FunctionalInterface
    interface UringQueues {
        /** A new queue, or why there is none. */
        IoQueue open(FileBlockDevice device, DeviceHandle handle, int depth, IoCompletion completion)
                throws UringUnavailableException;
    }

    private final Path path;
    private final DeviceHandle handle;
    private final FileChannel channel;
    private final long sizeBytes;
    private final @Nullable UringQueues uring;

    private FileBlockDevice(Path path, DeviceHandle handle, FileChannel channel, IoMode mode, UringQueues uring) {
        this.path = path;
        this.handle = handle;
        this.channel = channel;
        this.sizeBytes = handle.sizeBytes() / BLOCK_BYTES * BLOCK_BYTES;
        this.uring = mode != IoMode.PORTABLE && works(uring, mode) ? uring : null;
    }

    /** By its name at run time: javac warns of any reference to this class and cannot be told not to. */
    private static OpenOption directOption() {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option instanceof OpenOption open && option.toString().equals("DIRECT")) {
                    return open;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
        throw new ExceptionInInitializerError("this Java has no direct I/O");
    }

    /**
     * Opens an existing file or device.
     *
     * @throws ObjectStoreException {@code ENOENT} if there is none, {@code EBUSY} if it is in use, {@code EOPNOTSUPP} if
     *     io_uring is demanded and not there, {@code EIO} otherwise
     */
    public static FileBlockDevice open(Path path, boolean readOnly, IoMode mode) {
        return open(path, readOnly, mode, UringQueue::open);
    }

    static FileBlockDevice open(Path path, boolean readOnly, IoMode mode, UringQueues uring) {
        DeviceHandle handle = DeviceHandle.open(path, readOnly);
        @Nullable FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    path,
                    readOnly
                            ? Set.of(StandardOpenOption.READ, O_DIRECT)
                            : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, O_DIRECT));
            return new FileBlockDevice(path, handle, channel, mode, uring);
        } catch (IOException | RuntimeException e) {
            closeQuietly(channel, e);
            handle.close();
            throw e instanceof ObjectStoreException known
                    ? known
                    : new ObjectStoreException(ErrorCode.EIO, "cannot open " + path + ": " + e.getMessage(), e);
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel, Throwable reason) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private boolean works(UringQueues queues, IoMode mode) {
        try (IoQueue _ = queues.open(this, handle, 1, (_, _) -> {})) {
            return true;
        } catch (UringUnavailableException e) {
            if (mode == IoMode.URING) {
                throw new ObjectStoreException(
                        ErrorCode.EOPNOTSUPP,
                        "io = uring, but " + e.getMessage()
                                + "; allow it (sysctl kernel.io_uring_disabled, seccomp profile) or set io = auto",
                        e);
            }
            logFallback(e);
            return false;
        }
    }

    private static void logFallback(UringUnavailableException e) {
        if (!FALLBACK_LOGGED.getAndSet(true)) {
            LOG.log(Level.INFO, "no io_uring ({0}): devices are used one request at a time", e.getMessage());
        }
    }

    /**
     * Makes a sparse file of {@code sizeBytes} bytes: the host's space is taken as blocks are first written.
     *
     * @throws ObjectStoreException {@code EEXIST} if there is something at {@code path} already
     */
    public static void create(Path path, long sizeBytes) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), sizeBytes - 1);
            channel.force(true);
        } catch (FileAlreadyExistsException e) {
            throw new ObjectStoreException(ErrorCode.EEXIST, path + " exists already", e);
        } catch (IOException e) {
            throw new ObjectStoreException(
                    ErrorCode.EIO, "cannot create " + path + " of " + sizeBytes + " bytes: " + e.getMessage(), e);
        }
    }

    /** Whether there is a file or device at {@code path}. */
    public static boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void read(ByteBuffer target, long position) {
        checkRange("read", target, position);
        long at = position;
        try {
            while (target.hasRemaining()) {
                int n = channel.read(target, at);
                if (n < 0) {
                    throw new IOException("unexpected end of the device");
                }
                at += n;
            }
        } catch (IOException e) {
            throw failed("read", at, target.remaining(), e);
        }
    }

    @Override
    public void write(ByteBuffer source, long position) {
        checkRange("write", source, position);
        long at = position;
        try {
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
        } catch (IOException | NonWritableChannelException e) {
            throw failed("write", at, source.remaining(), e);
        }
    }

    private void checkRange(String what, ByteBuffer buffer, long position) {
        checkRange(what, position, buffer.remaining());
        assert buffer.isDirect() : "a heap buffer would be copied silently";
    }

    /** Throws {@code EIO} unless {@code memory} can be transferred from or to {@code position}. */
    void checkRange(String what, MemorySegment memory, long position) {
        checkRange(what, position, memory.byteSize());
        if (!AlignedBuffers.isAligned(memory)) {
            throw new ObjectStoreException(
                    ErrorCode.EIO, what + " of " + path + ": memory is not aligned to " + BLOCK_BYTES + ": " + memory);
        }
    }

    private void checkRange(String what, long position, long lengthBytes) {
        if (position < 0
                || lengthBytes <= 0
                || position > sizeBytes - lengthBytes
                || ((position | lengthBytes) & (BLOCK_BYTES - 1)) != 0) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    what + " outside " + path + " or not of whole blocks: position=" + position + " length="
                            + lengthBytes + " size=" + sizeBytes);
        }
    }

    /** Throws {@code EIO} unless the range can be discarded at once. */
    void checkDiscard(long position, long lengthBytes) {
        checkRange("discard", position, lengthBytes);
        if (lengthBytes > IoQueue.MAX_DISCARD_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    "discard of " + path + ": length=" + lengthBytes + " limit=" + IoQueue.MAX_DISCARD_BYTES);
        }
    }

    @Override
    public void flush() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "flush of " + path + " failed: " + e.getMessage(), e);
        }
    }

    private ObjectStoreException failed(String what, long position, int length, Exception e) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                what + " of " + path + " failed: position=" + position + " length=" + length + ": " + e,
                e);
    }

    @Override
    public IoQueue openQueue(int depth, IoCompletion completion) {
        if (depth < 1 || depth > IoQueue.MAX_DEPTH) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL, "queue depth=" + depth + " limits are 1 to " + IoQueue.MAX_DEPTH);
        }
        if (uring != null) {
            try {
                return uring.open(this, handle, depth, completion);
            } catch (UringUnavailableException e) {
                // Out of descriptors or memory, since it worked when the device was opened: slower is better than not.
                logFallback(e);
            }
        }
        return new PortableQueue(this, handle, depth, completion);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "close of " + path + " failed: " + e.getMessage(), e);
        } finally {
            handle.close();
        }
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public String io() {
        return uring == null ? "portable" : "io_uring";
    }
}
