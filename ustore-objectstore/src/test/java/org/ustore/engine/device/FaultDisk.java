package org.ustore.engine.device;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * A disk in memory that can be cruel: a volatile cache that a crash empties at random, torn writes, calls that fail, bits
 * that flip.
 *
 * <p>Memory is the blocks ever written. Writes and flushes are counted from 1; {@link #powerOffAt} ends the disk before
 * the call of that number, and every call after it fails until {@link #restart}.
 */
public final class FaultDisk implements DeviceProvider {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;
    private static final int SECTOR = 512;

    private static final class CachedWrite {
        final int block;
        final byte[] before;
        final byte[] after;

        CachedWrite(int block, byte[] before, byte[] after) {
            this.block = block;
            this.before = before;
            this.after = after;
        }
    }

    private final long sizeBytes;
    private final Map<Integer, byte[]> blocks = new HashMap<>();
    /** Writes since the last flush, in order. */
    private final List<CachedWrite> cache = new ArrayList<>();

    private @Nullable Device open;
    private long calls;
    private long powerOffAt = Long.MAX_VALUE;
    private boolean off;
    private LongPredicate failing = _ -> false;

    /** A disk of zeros. */
    public FaultDisk(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Number of writes and flushes so far. */
    public synchronized long calls() {
        return calls;
    }

    /** Cuts the power before the {@code n}-th write or flush from now, 1 being the next. */
    public synchronized void powerOffAt(long n) {
        powerOffAt = calls + n;
    }

    /** Cuts the power now. */
    public synchronized void powerOff() {
        off = true;
    }

    /** Whether the power is cut. */
    public synchronized boolean isOff() {
        return off;
    }

    /** Makes writes and flushes with these numbers fail, once each. */
    public synchronized void failCalls(LongPredicate numbers) {
        failing = numbers;
    }

    /** Power comes back: of what was not flushed each block is there, gone or torn, as {@code random} has it. */
    public synchronized void restart(Random random) {
        for (int i = cache.size() - 1; i >= 0; i--) {
            CachedWrite write = cache.get(i);
            blocks.put(write.block, write.before);
        }
        int keptOfTen = random.nextInt(11);
        for (CachedWrite write : cache) {
            if (random.nextInt(10) < keptOfTen) {
                blocks.put(write.block, write.after);
            } else if (random.nextInt(4) == 0) {
                blocks.put(write.block, torn(blocks.getOrDefault(write.block, write.before), write.after, random));
            }
        }
        cache.clear();
        off = false;
        open = null;
        powerOffAt = Long.MAX_VALUE;
        failing = _ -> false;
    }

    private static byte[] torn(byte[] before, byte[] after, Random random) {
        byte[] result = before.clone();
        int sectors = random.nextInt(BLOCK / SECTOR);
        System.arraycopy(after, 0, result, 0, sectors * SECTOR);
        return result;
    }

    /** Flips one bit of what is stored. */
    public synchronized void flip(long byteOffset, int bit) {
        byte[] block =
                blocks.getOrDefault((int) (byteOffset / BLOCK), new byte[BLOCK]).clone();
        block[(int) (byteOffset % BLOCK)] ^= (byte) (1 << bit);
        blocks.put((int) (byteOffset / BLOCK), block);
    }

    /** The content of a block. */
    public synchronized byte[] block(int block) {
        return blocks.getOrDefault(block, new byte[BLOCK]).clone();
    }

    /** Sets the content of a block, as if it had always been there. */
    public synchronized void setBlock(int block, byte[] content) {
        blocks.put(block, content.clone());
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
            throw new ObjectStoreException(ErrorCode.EBUSY, "fault disk is open");
        }
        Device device = new Device(readOnly);
        open = device;
        return device;
    }

    private synchronized void write(Device device, ByteBuffer source, long position) {
        call(device, "write");
        for (int block = (int) (position / BLOCK); source.hasRemaining(); block++) {
            byte[] after = new byte[BLOCK];
            source.get(after);
            byte[] before = blocks.getOrDefault(block, new byte[BLOCK]);
            cache.add(new CachedWrite(block, before, after));
            blocks.put(block, after);
        }
    }

    private synchronized void flush(Device device) {
        call(device, "flush");
        cache.clear();
    }

    private synchronized void read(Device device, ByteBuffer target, long position) {
        checkPower(device);
        for (int block = (int) (position / BLOCK); target.hasRemaining(); block++) {
            target.put(blocks.getOrDefault(block, new byte[BLOCK]));
        }
    }

    private void call(Device device, String what) {
        if (device.readOnly) {
            throw new AssertionError(what + " of a device opened for reading");
        }
        calls++;
        if (calls >= powerOffAt) {
            off = true;
        }
        checkPower(device);
        if (failing.test(calls)) {
            throw new ObjectStoreException(ErrorCode.EIO, what + " number " + calls + " fails as the test wants");
        }
    }

    private void checkPower(Device device) {
        if (off || device != open) {
            throw new ObjectStoreException(ErrorCode.EIO, "fault disk is off");
        }
    }

    private synchronized void close(Device device) {
        if (open == device) {
            open = null;
        }
    }

    /** One opening of the disk; dead after a restart. */
    private final class Device implements BlockDevice {
        private final boolean readOnly;

        Device(boolean readOnly) {
            this.readOnly = readOnly;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes;
        }

        @Override
        public void read(ByteBuffer target, long position) {
            check(target, position);
            FaultDisk.this.read(this, target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            check(source, position);
            FaultDisk.this.write(this, source, position);
        }

        private void check(ByteBuffer buffer, long position) {
            if (!buffer.isDirect()
                    || position % BLOCK != 0
                    || buffer.remaining() % BLOCK != 0
                    || position < 0
                    || position + buffer.remaining() > sizeBytes
                    || buffer.alignmentOffset(buffer.position(), 8) != 0) {
                throw new AssertionError("bad I/O: position=" + position + " " + buffer);
            }
        }

        @Override
        public void flush() {
            FaultDisk.this.flush(this);
        }

        @Override
        public void close() {
            FaultDisk.this.close(this);
        }

        @Override
        public String name() {
            return "fault disk";
        }
    }
}
