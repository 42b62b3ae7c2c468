package org.ustore.engine.core;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.meta.ByteReader;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Brings back the state of a store from its device, without writing: the metadata of the last checkpoint, free space from
 * what that refers to, then the longest valid prefix of the log.
 *
 * <p>The prefix ends at the first batch that is not there, or that refers to data that is not there and that no later
 * batch says was durable. If something after that end claims that it had been durable, the log is damaged, committed
 * transactions are missing, and recovery fails rather than lose them silently.
 */
public final class Recovery {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());
    private static final int SCAN_BYTES = 1 << 20;
    private static final long MAX_CACHE_BYTES = 64L << 30;

    private final BlockDevice device;
    private final Superblock superblock;
    private final ShardState state;
    private final StateTarget target;
    private final List<String> errors = new ArrayList<>();
    private long position;
    private long nextBatch;
    private long recordSequence;
    private long replayed;

    private Recovery(BlockDevice device, int maxPendingBlocks, long cacheBytes, DataWalk walk) {
        this.device = device;
        this.superblock = Superblocks.read(device);
        this.state = new ShardState(
                device,
                superblock.totalBlocks(),
                superblock.logFirstBlock() + superblock.logBlocks(),
                maxPendingBlocks,
                cacheBytes,
                superblock.root());
        this.target = new StateTarget(state);
        this.position = superblock.logPosition();
        this.nextBatch = superblock.nextBatch();
        this.recordSequence = superblock.recordSequence();
        state.rebuild(walk, errors);
        if (errors.isEmpty() && !superblock.clean()) {
            replayLog();
        }
    }

    /**
     * Reads the device and replays its log.
     *
     * @param maxPendingBlocks a wish only
     * @param cacheBytes memory for pages of metadata; more is taken if the log holds more changes than fit, as when the
     *     store last ran with more
     */
    public static Recovery run(BlockDevice device, int maxPendingBlocks, long cacheBytes, DataWalk walk) {
        long bytes = cacheBytes;
        while (true) {
            try {
                return new Recovery(device, maxPendingBlocks, bytes, walk);
            } catch (ObjectStoreException e) {
                if (e.code() != ErrorCode.EBUSY || bytes > MAX_CACHE_BYTES / 2) {
                    throw e;
                }
                bytes *= 2;
                LOG.log(
                        Level.WARNING,
                        "{0}: the log holds more metadata than a cache of {1} bytes takes; trying {2}",
                        device.name(),
                        cacheBytes,
                        bytes);
            }
        }
    }

    /** The state recovered. */
    public ShardState state() {
        return state;
    }

    /** What is inconsistent, one line each; empty if the store can be used. */
    public List<String> errors() {
        return errors;
    }

    Superblock superblock() {
        return superblock;
    }

    /** Number of records replayed. */
    long replayed() {
        return replayed;
    }

    /** Where the next batch goes. */
    long position() {
        return position;
    }

    long nextBatch() {
        return nextBatch;
    }

    long recordSequence() {
        return recordSequence;
    }

    private void replayLog() {
        long durable = lastDurableBatch();
        while (true) {
            @Nullable MemorySegment batch = readBatch();
            if (batch == null) {
                break;
            }
            BatchHeader header = headerOf(batch);
            if (header.batch() > durable && !dataIsThere(batch, header)) {
                break;
            }
            replay(batch, header);
            position = header.position() + blocksOf(header);
            nextBatch++;
        }
        if (nextBatch <= durable) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    "the log of " + device.name() + " is damaged: batch " + nextBatch + " at position " + position
                            + " cannot be read, but batches up to " + durable
                            + " had been committed; restore the OSD from its peers");
        }
        if (replayed > 0) {
            LOG.log(Level.INFO, "{0}: replayed {1} transactions from the log", device.name(), replayed);
        }
    }

    /** The highest batch that any valid header in the ring says was durable. */
    private long lastDurableBatch() {
        MemorySegment buffer = AlignedBuffers.allocate(SCAN_BYTES);
        long logBytes = (long) superblock.logBlocks() * BlockDevice.BLOCK_BYTES;
        long start = (long) superblock.logFirstBlock() * BlockDevice.BLOCK_BYTES;
        long durable = superblock.nextBatch() - 1;
        for (long at = 0; at < logBytes; at += SCAN_BYTES) {
            long n = Math.min(SCAN_BYTES, logBytes - at);
            device.read(buffer.asSlice(0, n).asByteBuffer(), start + at);
            for (long offset = 0; offset < n; offset += BlockDevice.BLOCK_BYTES) {
                BatchHeader header = BatchHeader.decode(buffer, offset, superblock.generation());
                if (header != null) {
                    durable = Math.max(durable, header.durableBatch());
                }
            }
        }
        return durable;
    }

    /** The batch expected next, at the position reached or at the start of the ring after it; null if there is none. */
    private @Nullable MemorySegment readBatch() {
        MemorySegment batch = readBatchAt(position);
        long remainder = position % superblock.logBlocks();
        if (batch != null || remainder == 0) {
            return batch;
        }
        return readBatchAt(position + superblock.logBlocks() - remainder);
    }

    private @Nullable MemorySegment readBatchAt(long at) {
        MemorySegment first = read(at, 1);
        BatchHeader header = BatchHeader.decode(first, 0, superblock.generation());
        if (header == null || header.batch() != nextBatch || header.position() != at) {
            return null;
        }
        int blocks = blocksOf(header);
        if (blocks > superblock.logBlocks() - at % superblock.logBlocks()) {
            return null;
        }
        MemorySegment batch = read(at, blocks);
        int found = Checksum.of(batch, BatchHeader.BYTES, header.payloadBytes());
        return found == header.payloadChecksum() ? batch : null;
    }

    private MemorySegment read(long at, int blocks) {
        long bytes = (long) blocks * BlockDevice.BLOCK_BYTES;
        MemorySegment memory = AlignedBuffers.allocate(bytes);
        long block = superblock.logFirstBlock() + at % superblock.logBlocks();
        device.read(memory.asByteBuffer(), block * BlockDevice.BLOCK_BYTES);
        return memory;
    }

    private BatchHeader headerOf(MemorySegment batch) {
        BatchHeader header = BatchHeader.decode(batch, 0, superblock.generation());
        if (header == null) {
            throw new IllegalStateException("batch without a header");
        }
        return header;
    }

    private static int blocksOf(BatchHeader header) {
        return (BatchHeader.BYTES + header.payloadBytes() + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES;
    }

    private boolean dataIsThere(MemorySegment batch, BatchHeader header) {
        ByteReader in = new ByteReader(batch, BatchHeader.BYTES, BatchHeader.BYTES + header.payloadBytes());
        for (int r = 0; r < header.records(); r++) {
            int length = in.getCount(1);
            long start = in.advance(length);
            if (header.firstRecord() + r > superblock.recordSequence()
                    && !DataCheck.matches(device, new ByteReader(batch, start, start + length))) {
                LOG.log(
                        Level.INFO,
                        "{0}: log ends before batch {1}, whose data never reached the device",
                        device.name(),
                        header.batch());
                return false;
            }
        }
        return true;
    }

    private void replay(MemorySegment batch, BatchHeader header) {
        ByteReader in = new ByteReader(batch, BatchHeader.BYTES, BatchHeader.BYTES + header.payloadBytes());
        for (int r = 0; r < header.records(); r++) {
            int length = in.getCount(1);
            long start = in.advance(length);
            long sequence = header.firstRecord() + r;
            if (sequence <= superblock.recordSequence()) {
                continue;
            }
            if (sequence != recordSequence + 1) {
                throw new ObjectStoreException(
                        ErrorCode.EIO, "log record expected=" + (recordSequence + 1) + " found=" + sequence);
            }
            LogRecord.decode(new ByteReader(batch, start, start + length), target);
            recordSequence = sequence;
            replayed++;
        }
    }
}
