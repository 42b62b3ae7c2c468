package org.ustore.engine.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** A file or block device, opened with O_DIRECT and locked against a second opener. */
public final class FileBlockDevice implements BlockDevice {
    private static final OpenOption O_DIRECT = directOption();

    private final Path path;
    private final FileChannel channel;
    private final long sizeBytes;

    private FileBlockDevice(Path path, FileChannel channel, long sizeBytes) {
        this.path = path;
        this.channel = channel;
        this.sizeBytes = sizeBytes;
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
     * @throws ObjectStoreException {@code ENOENT} if there is none, {@code EBUSY} if it is in use, {@code EIO} otherwise
     */
    public static FileBlockDevice open(Path path, boolean readOnly) {
        Set<OpenOption> options = readOnly
                ? Set.of(StandardOpenOption.READ, O_DIRECT)
                : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, O_DIRECT);
        FileChannel channel;
        try {
            channel = FileChannel.open(path, options);
        } catch (NoSuchFileException e) {
            throw new ObjectStoreException(
                    ErrorCode.ENOENT, "no device at " + path + "; make the store first (ceph-osd --mkfs)", e);
        } catch (IOException | UnsupportedOperationException e) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    "cannot open " + path + " for direct I/O: " + e.getMessage()
                            + "; check its permissions and that its file system supports O_DIRECT",
                    e);
        }
        try {
            lock(channel, path, readOnly);
            return new FileBlockDevice(path, channel, channel.size() / BLOCK_BYTES * BLOCK_BYTES);
        } catch (IOException | RuntimeException e) {
            closeQuietly(channel, e);
            throw e instanceof ObjectStoreException known
                    ? known
                    : new ObjectStoreException(ErrorCode.EIO, "cannot open " + path + ": " + e.getMessage(), e);
        }
    }

    private static void lock(FileChannel channel, Path path, boolean shared) throws IOException {
        @Nullable FileLock lock;
        try {
            lock = channel.tryLock(0, Long.MAX_VALUE, shared);
        } catch (OverlappingFileLockException e) {
            throw inUse(path, e);
        }
        if (lock == null) {
            throw inUse(path, null);
        }
    }

    private static ObjectStoreException inUse(Path path, @Nullable Throwable cause) {
        return new ObjectStoreException(
                ErrorCode.EBUSY, path + " is in use by another process; stop the OSD or tool that has it open", cause);
    }

    private static void closeQuietly(FileChannel channel, Throwable reason) {
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
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
        } catch (java.nio.file.FileAlreadyExistsException e) {
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
        } catch (IOException e) {
            throw failed("write", at, source.remaining(), e);
        }
    }

    private void checkRange(String what, ByteBuffer buffer, long position) {
        if (position < 0 || position > sizeBytes - buffer.remaining()) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    what + " outside " + path + ": position=" + position + " length=" + buffer.remaining() + " size="
                            + sizeBytes);
        }
        assert buffer.isDirect() : "a heap buffer would be copied silently";
    }

    @Override
    public void flush() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "flush of " + path + " failed: " + e.getMessage(), e);
        }
    }

    private ObjectStoreException failed(String what, long position, int length, IOException e) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                what + " of " + path + " failed: position=" + position + " length=" + length + ": " + e.getMessage(),
                e);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "close of " + path + " failed: " + e.getMessage(), e);
        }
    }

    @Override
    public String name() {
        return path.toString();
    }
}
