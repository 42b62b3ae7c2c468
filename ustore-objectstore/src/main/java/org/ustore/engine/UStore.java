package org.ustore.engine;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.DeviceProvider;
import org.ustore.engine.device.FileDeviceProvider;
import org.ustore.engine.shard.Shard;
import org.ustore.engine.store.MountedStore;
import org.ustore.engine.store.StoreCheck;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.StoreStatistics;
import org.ustore.objectstore.Transaction;

/**
 * An object store on one file or block device.
 *
 * <p>All metadata is held in memory and made durable by a log and by checkpoints; data has a checksum per 4 KiB block that
 * every read verifies. Small writes ride in the log, large ones go to new space at once; nothing is overwritten in place.
 * A commit costs one device write and one flush, shared by all transactions that wait for it.
 */
public final class UStore implements ObjectStore {
    private static final System.Logger LOG = System.getLogger(UStore.class.getName());
    private static final long DEFAULT_LOG_BYTES = 256L << 20;
    private static final int LABEL_BYTES = 64 << 10;

    private final DeviceProvider provider;
    private final StoreConfig config;
    private volatile @Nullable Mount mount;

    private record Mount(BlockDevice device, MountedStore store) {}

    /** A store at {@code provider}'s place. Does not touch it. */
    public UStore(DeviceProvider provider, StoreConfig config) {
        this.provider = provider;
        this.config = config;
    }

    /** The store of the OSD whose data folder is {@code osdData}. Does not touch it. */
    public static UStore create(Path osdData, StoreConfig config) {
        return new UStore(new FileDeviceProvider(osdData.resolve(config.device()), config.io()), config);
    }

    // ---- life ----

    /**
     * {@inheritDoc}
     *
     * <p>Makes the device's file, sparse but for the log, if there is none. Refuses a device whose first 64 KiB are not all
     * zeros.
     */
    @Override
    public void mkfs(UUID fsid) {
        requireUnmounted("mkfs");
        boolean created = !provider.exists();
        if (created) {
            if (config.deviceSizeBytes() == 0) {
                throw new ObjectStoreException(
                        ErrorCode.EINVAL,
                        "there is no device '" + config.device()
                                + "' and device_size is not set; set it in ustore.conf, for example device_size = 100G");
            }
            provider.create(config.deviceSizeBytes());
        }
        try (BlockDevice device = provider.open(false)) {
            requireBlank(device);
            Shard.mkfs(device, fsid, (int) (logBytes(device) / BlockDevice.BLOCK_BYTES));
            LOG.log(Level.INFO, "made store {0} on {1}, {2} bytes", fsid, device.name(), device.sizeBytes());
        } catch (RuntimeException | Error e) {
            if (created) {
                provider.remove();
            }
            throw e;
        }
    }

    private static void requireBlank(BlockDevice device) {
        if (device.sizeBytes() < StoreConfig.MIN_DEVICE_BYTES || device.sizeBytes() > StoreConfig.MAX_DEVICE_BYTES) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    device.name() + " has " + device.sizeBytes() + " bytes; limits are " + StoreConfig.MIN_DEVICE_BYTES
                            + " to " + StoreConfig.MAX_DEVICE_BYTES + " bytes");
        }
        if (Shard.isStore(device)) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST,
                    device.name()
                            + " holds a UStore already; to destroy it, clear its first 64 KiB (dd if=/dev/zero of="
                            + device.name() + " bs=64K count=1 conv=notrunc)");
        }
        ByteBuffer label = AlignedBuffers.allocateBuffer(LABEL_BYTES);
        device.read(label, 0);
        MemorySegment bytes = MemorySegment.ofBuffer(label.clear());
        if (bytes.mismatch(MemorySegment.ofArray(new byte[LABEL_BYTES])) >= 0) {
            throw new ObjectStoreException(
                    ErrorCode.EEXIST,
                    device.name()
                            + " is not blank: its first 64 KiB hold something else; check it, then clear them (dd if=/dev/zero of="
                            + device.name() + " bs=64K count=1 conv=notrunc)");
        }
    }

    private long logBytes(BlockDevice device) {
        long eighth = Math.max(StoreConfig.MIN_LOG_BYTES, device.sizeBytes() / 8);
        long bytes = config.logSizeBytes() == 0 ? Math.min(DEFAULT_LOG_BYTES, eighth) : config.logSizeBytes();
        if (bytes > device.sizeBytes() / 2) {
            throw new ObjectStoreException(
                    ErrorCode.EINVAL,
                    "log_size = " + bytes + " is more than half of the " + device.sizeBytes() + " bytes of "
                            + device.name() + "; leave it out, or set at most " + device.sizeBytes() / 2);
        }
        return bytes;
    }

    @Override
    public void mount() {
        requireUnmounted("mount");
        BlockDevice device = provider.open(false);
        try {
            mount = new Mount(device, new MountedStore(device, maxPendingBlocks()));
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    private int maxPendingBlocks() {
        return (int) Math.min(Integer.MAX_VALUE / 2, config.directMaxBytes() / 2 / BlockDevice.BLOCK_BYTES);
    }

    @Override
    public void umount() {
        Mount mounted = mounted();
        try {
            mounted.store().close();
        } finally {
            mount = null;
            mounted.device().close();
        }
    }

    @Override
    public FsckReport fsck(boolean deep) {
        requireUnmounted("fsck");
        try (BlockDevice device = provider.open(true)) {
            return StoreCheck.run(device, deep);
        }
    }

    private void requireUnmounted(String what) {
        if (mount != null) {
            throw new ObjectStoreException(ErrorCode.EBUSY, what + " of a mounted store; umount it first");
        }
    }

    private Mount mounted() {
        Mount present = mount;
        if (present == null) {
            throw new ObjectStoreException(ErrorCode.ESHUTDOWN, "the store is not mounted");
        }
        return present;
    }

    private MountedStore store() {
        return mounted().store();
    }

    // ---- facts ----

    @Override
    public UUID fsid() {
        return store().fsid();
    }

    @Override
    public StoreStatistics statistics() {
        return store().statistics();
    }

    @Override
    public StoreStatistics poolStatistics(long pool) {
        return store().poolStatistics(pool);
    }

    @Override
    public SortedMap<String, String> metadata() {
        BlockDevice device = mounted().device();
        TreeMap<String, String> facts = new TreeMap<>();
        facts.put("ustore_device", device.name());
        facts.put("ustore_device_size", Long.toString(device.sizeBytes()));
        facts.put("ustore_io", device.io());
        facts.put("ustore_block_size", Integer.toString(BlockDevice.BLOCK_BYTES));
        facts.put("ustore_checksum", "crc32c");
        facts.put("ustore_java", Runtime.version().toString());
        return facts;
    }

    // ---- collections and transactions ----

    @Override
    public List<CollectionId> listCollections() {
        return store().listCollections();
    }

    @Override
    public boolean collectionExists(CollectionId id) {
        return store().collectionExists(id);
    }

    @Override
    public @Nullable Collection openCollection(CollectionId id) {
        return store().openCollection(id);
    }

    @Override
    public Collection createNewCollection(CollectionId id) {
        return store().createNewCollection(id);
    }

    @Override
    public void queueTransactions(Collection sequencer, List<Transaction> transactions) {
        store().queueTransactions(sequencer, transactions);
    }
}
