package org.ustore.engine.core;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.DeviceWriter;
import org.ustore.engine.space.IntList;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A mounted shard: lock, log and checkpoints. See the package for how they work together.
 *
 * <p>Callers take {@link #lock} for everything but {@link #close}. A failure of the device, or of a transaction half
 * applied, fails the shard: from then on it writes nothing and refuses all work with {@code ESHUTDOWN}.
 */
public final class Shard {
    private static final System.Logger LOG = System.getLogger(Shard.class.getName());
    private static final long READER_POLL_NANOS = 20_000;
    private static final int MAX_BATCH_BYTES = 8 << 20;
    /** Fewer freed blocks than this are no reason for a checkpoint. */
    private static final int MIN_FREED_BLOCKS = 1024;
    /** Kept from data, for metadata of all kinds: 1/64 of the device, from 512 KiB to 256 MiB; half of it for deletes. */
    private static final int MIN_RESERVE_BLOCKS = 128;

    private static final int MAX_RESERVE_BLOCKS = 65536;
    /** Blocks of an ordinary page. */
    private static final int PAGE_BLOCKS = 2;
    /** Pages of a small tree that one transaction may add. */
    private static final int LEAST_PAGES_BLOCKS = 32;
    /** Checkpoints one transaction waits for to get space. */
    private static final int MAX_CHECKPOINTS_FOR_SPACE = 4;
    /** Pages put in order with each transaction, so that deletes of any size are paid in small coins. */
    private static final int WORK_PER_TRANSACTION = 16;
    /** Pages put in order while the lock is held once. */
    private static final int WORK_SLICE = 256;
    /** Writes of a checkpoint in flight: enough to keep a device busy, few enough to leave commits their share. */
    private static final int CHECKPOINT_DEPTH = 16;

    private static final int CHECKPOINT_BUFFERS = 8;
    /** Longest write of blocks to their places, 1 MiB. */
    private static final int DESTAGE_BLOCKS = 256;

    private final BlockDevice device;
    /** Of the commit thread. */
    private final DeviceWriter logWriter;
    /** Of whoever does a checkpoint: the thread that mounts, then the checkpoint thread, then the one that unmounts. */
    private final DeviceWriter checkpointWriter;

    private final ShardState state;
    private final ReentrantLock lock;
    /** Signalled when the batch being filled is no longer empty, or the commit thread should end. */
    private final Condition commitWork;
    /** Signalled when a checkpoint is wanted, or the checkpoint thread should end. */
    private final Condition checkpointWork;
    /** Signalled when anything that callers or the commit thread wait for may have changed. */
    private final Condition progress;

    private final Finisher finisher;
    private final Thread committer =
            Thread.ofPlatform().name("ustore-commit").daemon().unstarted(this::commitLoop);
    private final Thread checkpointer =
            Thread.ofPlatform().name("ustore-checkpoint").daemon().unstarted(this::checkpointLoop);
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();

    private Superblock superblock;
    /** Why nothing more is accepted. */
    private volatile @Nullable Throwable failure;
    /** Whether the failure is one of the device, so that nothing more is written either. */
    private volatile boolean deviceFailed;

    private volatile boolean stopping;
    private boolean committerEnded;
    private volatile boolean closed;

    private Batch filling = new Batch();
    private Batch spare = new Batch();
    private long recordStart;
    private long nextRecord;
    private long durableRecord;
    /** The batch being written lies at or after this position and has this number; else the next one will. */
    private long unwrittenPosition;

    private long unwrittenBatch;
    private long headPosition;
    private long tailPosition;
    private long durableBatch;

    private boolean checkpointWanted;
    private boolean checkpointRunning;
    private long checkpointsDone;

    private record Waiter(long record, Runnable callback) {}

    private Shard(Recovery recovery) {
        this.state = recovery.state();
        this.lock = state.lock();
        this.commitWork = lock.newCondition();
        this.checkpointWork = lock.newCondition();
        this.progress = lock.newCondition();
        this.device = state.device();
        this.logWriter = new DeviceWriter(device, 1, 0, 0);
        this.checkpointWriter = checkpointWriter(device);
        this.superblock = recovery.superblock();
        this.finisher = new Finisher(this::wakeWaiting);
        this.headPosition = recovery.position();
        this.tailPosition = superblock.logPosition();
        this.unwrittenPosition = headPosition;
        this.unwrittenBatch = recovery.nextBatch();
        this.durableBatch = unwrittenBatch - 1;
        this.nextRecord = recovery.recordSequence() + 1;
        this.durableRecord = recovery.recordSequence();
    }

    /** Writes an empty store of {@code logBlocks} blocks of log. What was on the device is lost. */
    public static void mkfs(BlockDevice device, UUID fsid, int logBlocks) {
        int totalBlocks = (int) Math.min(Integer.MAX_VALUE, device.sizeBytes() / BlockDevice.BLOCK_BYTES);
        int reserved = Superblock.COPIES + logBlocks;
        MemorySegment zeros = AlignedBuffers.allocate(1 << 20);
        // Written now, the log's blocks exist: commits need not wait for the file system to allocate them. It also
        // makes sure that no batch of an earlier store is there.
        for (long block = 0; block < reserved; block += 256) {
            long n = Math.min(256, reserved - block) * BlockDevice.BLOCK_BYTES;
            device.write(zeros.asSlice(0, n).asByteBuffer(), block * BlockDevice.BLOCK_BYTES);
        }
        Superblocks.write(
                device,
                new Superblock(
                        fsid,
                        1,
                        true,
                        totalBlocks,
                        Superblock.COPIES,
                        logBlocks,
                        newGeneration(),
                        0,
                        1,
                        0,
                        RootRef.EMPTY));
    }

    private static DeviceWriter checkpointWriter(BlockDevice device) {
        return new DeviceWriter(device, CHECKPOINT_DEPTH, CHECKPOINT_BUFFERS, DESTAGE_BLOCKS * BlockDevice.BLOCK_BYTES);
    }

    /** Whether the device holds a store, valid or not. */
    public static boolean isStore(BlockDevice device) {
        return Superblocks.present(device);
    }

    // Random, so that batches of another store or an earlier mount in the same place are never taken for our own.
    private static long newGeneration() {
        return new SecureRandom().nextLong();
    }

    /** Starts work on a store just recovered; the shard does not own the device until this returns. */
    public static Shard start(Recovery recovery) {
        if (!recovery.errors().isEmpty()) {
            throw new ObjectStoreException(
                    ErrorCode.EIO,
                    "the store on " + recovery.state().device().name() + " is inconsistent: "
                            + recovery.errors().getFirst() + " (and "
                            + (recovery.errors().size() - 1) + " more); run ceph-objectstore-tool --op fsck");
        }
        Shard shard = new Shard(recovery);
        try {
            shard.open(recovery.replayed() > 0);
        } catch (RuntimeException | Error e) {
            shard.closeWriters();
            throw e;
        }
        shard.finisher.start();
        shard.committer.start();
        shard.checkpointer.start();
        return shard;
    }

    /** Makes the log of this mount one of its own: nothing an earlier one left behind can be taken for its batches. */
    private void open(boolean replayed) {
        if (replayed) {
            checkpoint(false, newGeneration());
            return;
        }
        superblock =
                next(superblock, false, newGeneration(), headPosition, unwrittenBatch, superblock.recordSequence());
        Superblocks.write(device, superblock);
    }

    private static Superblock next(
            Superblock s, boolean clean, long generation, long logPosition, long nextBatch, long recordSequence) {
        return new Superblock(
                s.fsid(),
                s.sequence() + 1,
                clean,
                s.totalBlocks(),
                s.logFirstBlock(),
                s.logBlocks(),
                generation,
                logPosition,
                nextBatch,
                recordSequence,
                s.root());
    }

    /** What everything belongs to. */
    public ReentrantLock lock() {
        return lock;
    }

    /** Metadata and space; under the lock. */
    public ShardState state() {
        return state;
    }

    /** Identity of the store. */
    public UUID fsid() {
        return superblock.fsid();
    }

    /** Throws {@code ESHUTDOWN} once the shard has failed. */
    public void checkUsable() {
        Throwable cause = failure;
        if (cause != null) {
            throw new ObjectStoreException(
                    ErrorCode.ESHUTDOWN,
                    "the store has failed and must be mounted again: " + cause.getMessage(),
                    cause);
        }
        if (stopping) {
            throw new ObjectStoreException(ErrorCode.ESHUTDOWN, "the store is not mounted");
        }
    }

    /** Throws {@code ESHUTDOWN} if nothing can be read any more; any thread. */
    public void checkReadable() {
        if (failure != null || closed) {
            checkUsable();
        }
    }

    /**
     * Fails the shard because a transaction could not be applied: what was queued before still becomes durable, nothing
     * else does. The first cause counts. Any thread, with or without the lock.
     */
    public void fail(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
                LOG.log(Level.ERROR, "the store on " + device.name() + " has failed and accepts no more work", cause);
            }
            commitWork.signalAll();
            checkpointWork.signalAll();
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void failDevice(Throwable cause) {
        deviceFailed = true;
        fail(cause);
    }

    private void wakeWaiting() {
        lock.lock();
        try {
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- admission ----

    /** Most bytes of one record. */
    public long maxRecordBytes() {
        return (long) superblock.logBlocks() * BlockDevice.BLOCK_BYTES / 4;
    }

    /** From this size on a record carries no more data. */
    public long maxInlineBytes() {
        return Math.min(4 << 20, maxRecordBytes() / 4);
    }

    private long maxBatchBytes() {
        return Math.min(MAX_BATCH_BYTES, maxRecordBytes() / 2);
    }

    /**
     * Waits, under the lock, until transactions that take no more than {@code demand} can be applied.
     *
     * @throws ObjectStoreException {@code ENOSPC} if there is no space for them; nothing has changed then
     */
    public void admit(Demand demand) {
        int checkpoints = 0;
        while (true) {
            checkUsable();
            state.guard().advance(state::reuse);
            int _ = state.tree().work(WORK_PER_TRANSACTION);
            if (filling.bytes() > maxBatchBytes() || finisher.isBehind()) {
                progress.awaitUninterruptibly();
            } else if (state.pending().usedSlots() > state.pending().maxSlots() || cacheIsFull(demand)) {
                awaitCheckpoint();
            } else if (hasSpace(demand)) {
                return;
            } else if (checkpoints < MAX_CHECKPOINTS_FOR_SPACE && mayGainSpace()) {
                awaitCheckpoint();
                checkpoints++;
            } else {
                throw new ObjectStoreException(
                        ErrorCode.ENOSPC,
                        "no space on " + device.name() + ": blocks wanted=" + demand.dataBlocks() + " available="
                                + availableBlocks() + "; delete objects or add OSDs");
            }
        }
    }

    private boolean mayGainSpace() {
        return checkpointRunning
                || state.freedBlocks() > 0
                || state.dirtyBlocks() > 0
                || !state.guard().isIdle();
    }

    /** Whether there is too little room in memory for the pages that the transactions may change. */
    private boolean cacheIsFull(Demand demand) {
        long dirty = state.tree().dirtyBytes();
        return dirty > 0
                && dirty + Math.min(2 * demand.metadataBytes(), state.cacheBytes() / 2) > state.cacheBytes() / 4 * 3;
    }

    private boolean hasSpace(Demand demand) {
        PagePool pages = state.pages();
        long reserve = switch (demand.purpose()) {
            case DATA -> reserveBlocks();
            case METADATA -> reserveBlocks() / 2;
            case DELETE -> 0;
        };
        // No more pages can change than there are, and be added than the growth fills.
        long changed = Math.min(demand.pages() * PAGE_BLOCKS, pages.usedBlocks() + LEAST_PAGES_BLOCKS)
                + demand.metadataBytes() / (BlockDevice.BLOCK_BYTES / 2);
        long keep = state.dirtyBlocks() + changed + reserve;
        if (state.space().freeBlocks() + pages.freeBlocks() < demand.dataBlocks() + keep || !pages.ensure(keep)) {
            return false;
        }
        if (state.space().freeBlocks() < demand.dataBlocks()) {
            pages.shrink(keep);
        }
        return state.space().freeBlocks() >= demand.dataBlocks();
    }

    /** Blocks kept back from data; under the lock. */
    public int reserveBlocks() {
        return Math.max(MIN_RESERVE_BLOCKS, Math.min(MAX_RESERVE_BLOCKS, superblock.totalBlocks() / 64));
    }

    /** Blocks that data can still take, those of freed but not yet reusable ones included; under the lock. */
    public long availableBlocks() {
        long free = state.space().freeBlocks() + (long) state.pages().freeBlocks() + state.freedBlocks();
        return Math.max(0, free - state.dirtyBlocks() - reserveBlocks());
    }

    /** Blocks of the device; under the lock. */
    public long totalBlocks() {
        return superblock.totalBlocks();
    }

    /** Blocks of superblocks, log and metadata; under the lock. */
    public long metadataBlocks() {
        return superblock.logFirstBlock()
                + (long) superblock.logBlocks()
                + state.pages().usedBlocks();
    }

    /** Waits, under the lock, for the end of a checkpoint that begins after this call. */
    public void awaitCheckpoint() {
        long target = checkpointsDone + (checkpointRunning ? 2 : 1);
        while (checkpointsDone < target) {
            checkUsable();
            checkpointWanted = true;
            checkpointWork.signal();
            progress.awaitUninterruptibly();
        }
    }

    // ---- log ----

    /** Begins a record; under the lock until {@link #endRecord}. */
    public Change beginRecord() {
        recordStart = filling.bytes();
        filling.buffer().putInt(0);
        return new Change(state, filling.buffer(), recordStart);
    }

    /** Takes back the record begun. */
    public void abandonRecord() {
        filling.buffer().truncate(recordStart);
    }

    /** Ends the record and gives it to the commit thread; {@code onCommit} runs once it is durable. Returns its number. */
    public long endRecord(List<Runnable> onCommit) {
        filling.buffer().setInt(recordStart, Math.toIntExact(filling.bytes() - recordStart - Integer.BYTES));
        boolean first = filling.isEmpty();
        filling.added(nextRecord, onCommit);
        if (first) {
            commitWork.signal();
        }
        return nextRecord++;
    }

    /** Gives callbacks to the finisher; any thread. */
    public void finish(List<Runnable> callbacks) {
        finisher.add(callbacks);
    }

    /**
     * Runs {@code callback} once {@code record} is durable and the commit callbacks up to it have run; false if all that
     * is so, under the lock.
     */
    public boolean whenDurable(long record, Runnable callback) {
        if (record <= durableRecord) {
            return finisher.addIfBusy(callback);
        }
        checkUsable();
        waiters.add(new Waiter(record, callback));
        return true;
    }

    private void commitLoop() {
        try {
            while (commitOne()) {
                // until stopped
            }
        } catch (RuntimeException | Error e) {
            failDevice(e);
        }
    }

    /** Writes one batch; false if there will be none any more. */
    private boolean commitOne() {
        Batch batch;
        long position;
        lock.lock();
        try {
            while (filling.isEmpty() && !deviceFailed && !stopping) {
                commitWork.awaitUninterruptibly();
            }
            if (deviceFailed || filling.isEmpty()) {
                return false;
            }
            batch = filling;
            filling = spare;
            progress.signalAll();
            position = place(batch.blocks());
            if (position < 0) {
                return false;
            }
            headPosition = position + batch.blocks();
        } finally {
            lock.unlock();
        }
        MemorySegment bytes = batch.seal(superblock.generation(), unwrittenBatch, position, durableBatch);
        long block = superblock.logFirstBlock() + position % superblock.logBlocks();
        logWriter.writeDurably(bytes, block * BlockDevice.BLOCK_BYTES);
        lock.lock();
        try {
            committed(batch);
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Where a batch of so many blocks goes, once the log has room for it; -1 if the shard fails meanwhile. */
    private long place(int blocks) {
        int ring = superblock.logBlocks();
        long toRingEnd = ring - headPosition % ring;
        long position = blocks <= toRingEnd ? headPosition : headPosition + toRingEnd;
        while (position + blocks > tailPosition + ring) {
            if (failure != null) {
                return -1;
            }
            checkpointWanted = true;
            checkpointWork.signal();
            progress.awaitUninterruptibly();
        }
        return position;
    }

    private void committed(Batch batch) {
        durableBatch = unwrittenBatch;
        unwrittenBatch++;
        unwrittenPosition = headPosition;
        durableRecord = batch.lastRecord();
        List<Runnable> callbacks = batch.onCommit();
        for (int i = waiters.size(); i > 0; i--) {
            Waiter waiter = waiters.remove();
            if (waiter.record() <= durableRecord) {
                callbacks.add(waiter.callback());
            } else {
                waiters.add(waiter);
            }
        }
        finisher.add(callbacks);
        batch.clear();
        spare = batch;
        progress.signalAll();
        if (wantsCheckpoint()) {
            checkpointWanted = true;
            checkpointWork.signal();
        }
    }

    private boolean wantsCheckpoint() {
        return state.tree().wantsCheckpoint()
                || headPosition - tailPosition > superblock.logBlocks() / 2
                || state.pending().usedSlots() > state.pending().maxSlots() / 2
                || state.freedBlocks()
                        > Math.max(MIN_FREED_BLOCKS, state.space().freeBlocks());
    }

    // ---- checkpoint ----

    private void checkpointLoop() {
        try {
            while (awaitWanted()) {
                checkpoint(false, superblock.generation());
            }
        } catch (RuntimeException | Error e) {
            failDevice(e);
        }
    }

    private boolean awaitWanted() {
        lock.lock();
        try {
            while (!checkpointWanted && failure == null && !committerEnded) {
                checkpointWork.awaitUninterruptibly();
            }
            return failure == null && !committerEnded;
        } finally {
            lock.unlock();
        }
    }

    /** What a checkpoint writes, as it was at one moment. */
    private static final class Capture {
        final Checkpoint metadata;
        final int[] pending;
        final IntList freed;
        final Superblock superblock;

        Capture(ShardState state, Superblock superblock) {
            this.metadata = state.tree().beginCheckpoint();
            this.pending = state.pending().capture();
            this.freed = state.takeFreed();
            this.superblock = superblock;
        }
    }

    private void checkpoint(boolean clean, long generation) {
        Capture capture;
        lock.lock();
        try {
            capture = capture(clean, generation);
        } finally {
            lock.unlock();
        }
        destage(capture.pending);
        checkpointWriter.finish();
        // This flushes the device, and with it what was destaged.
        RootRef root = capture.metadata.write();
        Superblock next = capture.superblock.withRoot(root);
        Superblocks.write(device, next);
        lock.lock();
        try {
            install(capture, next);
        } finally {
            lock.unlock();
        }
        awaitReaders();
        putInOrder();
        lock.lock();
        try {
            checkpointRunning = false;
            checkpointsDone++;
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private Capture capture(boolean clean, long generation) {
        if (failure != null) {
            throw new ObjectStoreException(ErrorCode.ESHUTDOWN, "no checkpoint: the store has failed");
        }
        checkpointWanted = false;
        checkpointRunning = true;
        return new Capture(
                state, next(superblock, clean, generation, unwrittenPosition, unwrittenBatch, nextRecord - 1));
    }

    /** Starts the writes of blocks to their places, one for each run of neighbours. */
    private void destage(int[] blocks) {
        int from = 0;
        while (from < blocks.length) {
            int n = 1;
            while (from + n < blocks.length && n < DESTAGE_BLOCKS && blocks[from + n] == blocks[from] + n) {
                n++;
            }
            long position = (long) blocks[from] * BlockDevice.BLOCK_BYTES;
            if (n == 1) {
                // A captured slot stays as it is until the checkpoint has ended.
                checkpointWriter.write(state.pending().capturedSlot(blocks[from]), position);
            } else {
                copyCaptured(blocks, from, n, checkpointWriter.take());
                checkpointWriter.writeTaken((long) n * BlockDevice.BLOCK_BYTES, position);
            }
            from += n;
        }
    }

    private void copyCaptured(int[] blocks, int from, int n, MemorySegment buffer) {
        PendingBlocks pending = state.pending();
        for (int i = 0; i < n; i++) {
            long to = (long) i * BlockDevice.BLOCK_BYTES;
            MemorySegment.copy(pending.capturedSlot(blocks[from + i]), 0, buffer, to, BlockDevice.BLOCK_BYTES);
        }
    }

    private void install(Capture capture, Superblock next) {
        capture.metadata.installed();
        superblock = next;
        tailPosition = superblock.logPosition();
        for (int slot : state.pending().dropCaptured()) {
            state.guard().retire(~slot);
        }
        for (int i = 0; i < capture.freed.size(); i++) {
            state.guard().retire(capture.freed.get(i));
        }
        progress.signalAll();
    }

    /** Frees the pages that the checkpoint replaced. */
    private void putInOrder() {
        int done = 1;
        while (done > 0 && failure == null) {
            lock.lock();
            try {
                done = state.tree().work(WORK_SLICE);
                progress.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until every read that began before has ended, which takes a device read at most. */
    private void awaitReaders() {
        int target = -1;
        while (failure == null) {
            lock.lock();
            try {
                if (target < 0) {
                    target = state.guard().epoch() + 2;
                }
                state.guard().advance(state::reuse);
                if (state.guard().isIdle() || state.guard().epoch() - target >= 0) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            LockSupport.parkNanos(READER_POLL_NANOS);
        }
    }

    // ---- end ----

    private void signalEnd(Runnable change) {
        lock.lock();
        try {
            change.run();
            commitWork.signalAll();
            checkpointWork.signalAll();
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes everything queued durable, runs all callbacks, ends the threads. A failed shard only ends. */
    public void close() {
        try {
            signalEnd(() -> stopping = true);
            committer.join();
            signalEnd(() -> committerEnded = true);
            checkpointer.join();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        try {
            if (failure == null) {
                checkpoint(true, superblock.generation());
            }
            finisher.stop();
            signalEnd(() -> closed = true);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            closeWriters();
        }
    }

    private ObjectStoreException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ObjectStoreException(ErrorCode.EIO, "interrupted while unmounting " + device.name(), e);
    }

    private void closeWriters() {
        logWriter.close();
        checkpointWriter.close();
    }
}
