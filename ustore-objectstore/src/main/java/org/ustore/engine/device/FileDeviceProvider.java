package org.ustore.engine.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** A file or block device at a path. */
public final class FileDeviceProvider implements DeviceProvider {
    private final Path path;
    private final IoMode mode;

    /** The device at {@code path}, whose queues work as {@code mode} says. */
    public FileDeviceProvider(Path path, IoMode mode) {
        this.path = path;
        this.mode = mode;
    }

    /** An empty file counts as none: it is what touch leaves. */
    @Override
    public boolean exists() {
        try {
            return Files.exists(path) && !(Files.isRegularFile(path) && Files.size(path) == 0);
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "cannot look at " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void create(long sizeBytes) {
        remove();
        FileBlockDevice.create(path, sizeBytes);
    }

    @Override
    public void remove() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "cannot remove " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public BlockDevice open(boolean readOnly) {
        return FileBlockDevice.open(path, readOnly, mode);
    }
}
