package org.ustore.engine.device;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A disk in memory that can be cruel: a volatile cache that a power cut empties at random, requests that run in any order,
 * and writes, flushes and reads that fail, lie, tear, get lost, go astray or flip bits.
 *
 * <p>Writes, flushes and discards are counted together from 1, reads apart; {@link #powerOffAt} ends the disk at the call
 * of that number, and every call after it fails until {@link #restart}. A power cut may leave behind anything of what was
 * in flight. Every call takes virtual time. All chance comes from the seed: the same calls in the same order end the same.
 */
public final class SimulatedDisk implements DeviceProvider {
    static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int MAX_LATENCY_NANOS = 1_000_000;

    /** What is asked of the disk. */
    public enum Call {
        /** A read. */
        READ,
        /** A write. */
        WRITE,
        /** A flush. */
        FLUSH,
        /** A discard. */
        DISCARD
    }

    /** What the disk does wrong with it. */
    public enum Fault {
        /** Nothing. */
        NONE,
        /** The call fails. A write may have happened in part; what a flush should have made durable may never be. */
        ERROR,
        /** A write or flush is reported as done and is not: the lost write, the flush that lies. */
        LOSE,
        /** A write goes to another place. */
        MISDIRECT,
        /** One bit of what is written, or of what is read this once, is wrong. */
        FLIP,
        /** A write ends in the middle of its last block. */
        TEAR
    }

    /** Decides about faults. */
    @FunctionalInterface
    public interface Faults {
        /** What happens to the call with this number, at {@code position} in bytes (0 for a flush). */
        Fault at(Call call, long number, long position);
    }

    private static final Faults NO_FAULTS = (_, _, _) -> Fault.NONE;

    private final long sizeBytes;
    private final VirtualClock clock;
    private final SimulatedMedium medium = new SimulatedMedium();
    private final Random latencies;
    private final Random losses;
    private final List<SimulatedQueue> queues = new ArrayList<>();

    private @Nullable Device open;
    private long calls;
    private long reads;
    private long powerOffAt = Long.MAX_VALUE;
    private boolean off;
    private Faults faults = NO_FAULTS;
    private int capacityBlocks = Integer.MAX_VALUE;
    private int mostInFlight;

    /** A disk of zeros. */
    public SimulatedDisk(long sizeBytes, long seed) {
        this(sizeBytes, seed, new VirtualClock());
    }

    /** As the other, with a clock that others share. */
    public SimulatedDisk(long sizeBytes, long seed, VirtualClock clock) {
        this.sizeBytes = sizeBytes;
        this.clock = clock;
        // One source each, so that a different order of requests does not change what a power cut loses.
        this.latencies = new Random(seed);
        this.losses = new Random(~seed);
    }

    // ---- what a test does to it ----

    /** Number of writes, flushes and discards so far. */
    public synchronized long calls() {
        return calls;
    }

    /** Most requests that one queue has had in flight since the last call of this. */
    public synchronized int takeMostInFlight() {
        int most = mostInFlight;
        mostInFlight = 0;
        return most;
    }

    synchronized void inFlight(int requests) {
        mostInFlight = Math.max(mostInFlight, requests);
    }

    /** Cuts the power at the {@code n}-th write, flush or discard from now, 1 being the next. */
    public synchronized void powerOffAt(long n) {
        powerOffAt = calls + n;
    }

    /** Cuts the power now. */
    public synchronized void powerOff() {
        if (!off) {
            off = true;
            queues.forEach(queue -> queue.abandon(losses));
        }
    }

    /** Whether the power is cut. */
    public synchronized boolean isOff() {
        return off;
    }

    /** Decides about the calls from now on. */
    public synchronized void faults(Faults plan) {
        faults = plan;
    }

    /** Makes writes, flushes and discards with these numbers fail. */
    public void failCalls(LongPredicate numbers) {
        faults((call, number, _) -> call != Call.READ && numbers.test(number) ? Fault.ERROR : Fault.NONE);
    }

    /** Lets writes to blocks never written fail once so many blocks are, as on a thin device that is full. */
    public synchronized void capacity(int blocks) {
        capacityBlocks = blocks;
    }

    /** Power comes back: of what was not flushed each block is there, gone or torn. */
    public synchronized void restart() {
        powerOff();
        medium.lose(losses);
        queues.clear();
        off = false;
        open = null;
        powerOffAt = Long.MAX_VALUE;
        faults = NO_FAULTS;
    }

    /** Flips one bit of what is stored. */
    public synchronized void flip(long byteOffset, int bit) {
        byte[] content = block((int) (byteOffset / BLOCK));
        content[(int) (byteOffset % BLOCK)] ^= (byte) (1 << bit);
        medium.set((int) (byteOffset / BLOCK), content);
    }

    /** The content of a block. */
    public synchronized byte[] block(int block) {
        return medium.get(block).clone();
    }

    /** Sets the content of a block, as if it had always been there. */
    public synchronized void setBlock(int block, byte[] content) {
        medium.set(block, content.clone());
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public void create(long bytes) {
        throw new UnsupportedOperationException("exists");
    }

    @Override
    public void remove() {
        throw new UnsupportedOperationException("stays");
    }

    @Override
    public synchronized BlockDevice open(boolean readOnly) {
        if (open != null) {
            throw new ObjectStoreException(ErrorCode.EBUSY, "simulated disk is open");
        }
        Device device = new Device(readOnly);
        open = device;
        return device;
    }

    // ---- calls; each returns an errno ----

    VirtualClock clock() {
        return clock;
    }

    synchronized long latencyNanos() {
        return 1L + latencies.nextInt(MAX_LATENCY_NANOS);
    }

    synchronized int read(Device device, ByteBuffer target, long position) {
        if (isDead(device)) {
            return Kernel.EIO;
        }
        reads++;
        Fault fault = faults.at(Call.READ, reads, position);
        if (fault == Fault.ERROR) {
            return Kernel.EIO;
        }
        ByteBuffer whole = target.duplicate();
        for (int block = (int) (position / BLOCK); target.hasRemaining(); block++) {
            target.put(medium.get(block));
        }
        if (fault == Fault.FLIP) {
            int at = whole.position() + losses.nextInt(whole.remaining());
            whole.put(at, (byte) (whole.get(at) ^ 1 << losses.nextInt(8)));
        }
        return 0;
    }

    synchronized int write(Device device, byte[] source, long position) {
        int first = (int) (position / BLOCK);
        boolean cut = !off && calls + 1 >= powerOffAt;
        if (begin(device)) {
            if (cut) {
                storeSome(first, source);
            }
            return Kernel.EIO;
        }
        Fault fault = faults.at(Call.WRITE, calls, position);
        switch (fault) {
            case LOSE -> {
                return 0;
            }
            case ERROR -> {
                storeSome(first, source);
                return Kernel.EIO;
            }
            case MISDIRECT -> first = losses.nextInt((int) (sizeBytes / BLOCK) - source.length / BLOCK + 1);
            default -> {}
        }
        if (isFull(first, source.length / BLOCK)) {
            return Kernel.ENOSPC;
        }
        byte[] stored = source.clone();
        if (fault == Fault.FLIP) {
            stored[losses.nextInt(stored.length)] ^= (byte) (1 << losses.nextInt(8));
        }
        store(first, stored, fault == Fault.TEAR);
        return 0;
    }

    private boolean isFull(int first, int count) {
        if (capacityBlocks == Integer.MAX_VALUE) {
            return false;
        }
        int fresh = 0;
        for (int i = 0; i < count; i++) {
            fresh += medium.isWritten(first + i) ? 0 : 1;
        }
        return fresh > 0 && medium.writtenBlocks() + fresh > capacityBlocks;
    }

    private void store(int first, byte[] source, boolean tearLast) {
        int count = source.length / BLOCK;
        for (int i = 0; i < count; i++) {
            byte[] content = new byte[BLOCK];
            System.arraycopy(source, i * BLOCK, content, 0, BLOCK);
            if (tearLast && i == count - 1) {
                content = SimulatedMedium.torn(medium.get(first + i), content, losses);
            }
            medium.put(first + i, content);
        }
    }

    /** What is left of a write that did not end. */
    void storeSome(int first, byte[] source) {
        int blocks = losses.nextInt(source.length / BLOCK + 1);
        if (blocks > 0) {
            store(first, java.util.Arrays.copyOf(source, blocks * BLOCK), losses.nextBoolean());
        }
    }

    synchronized int flush(Device device) {
        if (begin(device)) {
            return Kernel.EIO;
        }
        switch (faults.at(Call.FLUSH, calls, 0)) {
            case ERROR -> {
                medium.failFlush();
                return Kernel.EIO;
            }
            case LOSE -> {
                return 0;
            }
            default -> medium.flush();
        }
        return 0;
    }

    synchronized int discard(Device device, long position, long lengthBytes) {
        if (begin(device)) {
            return Kernel.EIO;
        }
        if (faults.at(Call.DISCARD, calls, position) == Fault.ERROR) {
            return Kernel.EOPNOTSUPP;
        }
        for (long at = position; at < position + lengthBytes; at += BLOCK) {
            byte[] content = new byte[BLOCK];
            // What is read after a discard is anything: often zeros, or nothing has changed.
            switch (losses.nextInt(3)) {
                case 0 -> losses.nextBytes(content);
                case 1 -> content = medium.get((int) (at / BLOCK));
                default -> {}
            }
            medium.put((int) (at / BLOCK), content);
        }
        return 0;
    }

    /** Counts a call; true if the disk is, or with this call goes, off. */
    private boolean begin(Device device) {
        if (device.readOnly) {
            throw new AssertionError("call on a device opened for reading");
        }
        calls++;
        if (calls >= powerOffAt) {
            powerOff();
        }
        return isDead(device);
    }

    private boolean isDead(Device device) {
        return off || device != open;
    }

    private synchronized void close(Device device) {
        if (open == device) {
            open = null;
            assert queues.isEmpty() : "device closed before its queues";
        }
    }

    synchronized void closed(SimulatedQueue queue) {
        queues.remove(queue);
    }

    /** One opening of the disk; dead after a restart. */
    final class Device implements BlockDevice {
        private final boolean readOnly;

        Device(boolean readOnly) {
            this.readOnly = readOnly;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes / BLOCK * BLOCK;
        }

        @Override
        public void read(ByteBuffer target, long position) {
            check(target, position);
            clock.advance(latencyNanos());
            checkDone("read", position, SimulatedDisk.this.read(this, target, position));
        }

        @Override
        public void write(ByteBuffer source, long position) {
            check(source, position);
            byte[] bytes = new byte[source.remaining()];
            source.get(bytes);
            clock.advance(latencyNanos());
            checkDone("write", position, SimulatedDisk.this.write(this, bytes, position));
        }

        private void check(ByteBuffer buffer, long position) {
            check(position, buffer.remaining());
            if (!buffer.isDirect() || buffer.alignmentOffset(buffer.position(), 8) != 0) {
                throw new AssertionError("bad buffer: " + buffer);
            }
        }

        void check(long position, long lengthBytes) {
            if (position % BLOCK != 0
                    || lengthBytes % BLOCK != 0
                    || lengthBytes <= 0
                    || position < 0
                    || position > sizeBytes() - lengthBytes) {
                throw new ObjectStoreException(
                        ErrorCode.EIO,
                        "outside the simulated disk, or no whole blocks: position=" + position + " length="
                                + lengthBytes + " size=" + sizeBytes);
            }
        }

        @Override
        public void flush() {
            clock.advance(latencyNanos());
            checkDone("flush", 0, SimulatedDisk.this.flush(this));
        }

        private static void checkDone(String what, long position, int errno) {
            if (errno != 0) {
                throw new ObjectStoreException(
                        ErrorCode.EIO,
                        what + " of the simulated disk failed: position=" + position + " " + Kernel.describe(errno));
            }
        }

        @Override
        public IoQueue openQueue(int depth, IoCompletion completion) {
            synchronized (SimulatedDisk.this) {
                SimulatedQueue queue = new SimulatedQueue(SimulatedDisk.this, this, depth, completion);
                queues.add(queue);
                return queue;
            }
        }

        @Override
        public void close() {
            SimulatedDisk.this.close(this);
        }

        @Override
        public String name() {
            return "simulated disk";
        }

        @Override
        public String io() {
            return "simulated";
        }
    }
}
