package org.ustore.engine.shard;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.device.DeviceWriter;
import org.ustore.engine.meta.ByteWriter;

/**
 * Writes a checkpoint image: a stream of records (length u32, bytes) cut into segments, each a run of blocks of the data
 * area that says where the next one is.
 *
 * <pre>
 *    0  format version  u32 | magic "UIMG"       u32     24  index           u32 | next segment   u32
 *    8  image           u64                              32  its blocks      u32 | CRC-32C        u32
 *   16  used bytes      u32 | zero               u32     40  used bytes of the stream
 * </pre>
 *
 * <p>The checksum covers bytes 0 to 35 and the used bytes. A next segment of 0 blocks ends the image. Used by the owner of
 * its device writer, whose buffers are of {@link #MAX_SEGMENT_BLOCKS} blocks.
 */
final class ImageWriter {
    static final int HEADER_BYTES = 40;
    static final int FORMAT_VERSION = 1;
    static final int MAGIC = 0x474d4955;
    static final int CHECKSUM_OFFSET = 36;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Longest segment, 1 MiB: the size of one write. */
    static final int MAX_SEGMENT_BLOCKS = 256;

    private final DeviceWriter device;
    private final long image;
    private final int[] blocks;
    private MemorySegment buffer;
    private int usedBlocks;
    private int segmentBlocks;
    private long used = HEADER_BYTES;
    private int index;

    /** Writes image number {@code image} to {@code blocks}, of which there are enough. */
    ImageWriter(DeviceWriter device, long image, int[] blocks) {
        this.device = device;
        this.buffer = device.take();
        this.image = image;
        this.blocks = blocks;
        this.segmentBlocks = runFrom(0);
    }

    /** Number of blocks that an image of {@code bytes} bytes takes at most, however scattered. */
    static int blocksFor(long bytes) {
        return Math.toIntExact(bytes / (BlockDevice.BLOCK_BYTES - HEADER_BYTES) + 4);
    }

    /** Length of the first segment in blocks. */
    static int firstRun(int[] blocks) {
        int n = 1;
        while (n < blocks.length && n < MAX_SEGMENT_BLOCKS && blocks[n] == blocks[n - 1] + 1) {
            n++;
        }
        return n;
    }

    private int runFrom(int start) {
        return start == blocks.length
                ? 0
                : firstRun(Arrays.copyOfRange(blocks, start, Math.min(blocks.length, start + MAX_SEGMENT_BLOCKS)));
    }

    /** Appends one record. */
    void append(ByteWriter record) {
        buffer4(Math.toIntExact(record.size()));
        write(record.memory(), record.size());
    }

    private void buffer4(int length) {
        byte[] bytes = {(byte) length, (byte) (length >>> 8), (byte) (length >>> 16), (byte) (length >>> 24)};
        write(MemorySegment.ofArray(bytes), bytes.length);
    }

    private void write(MemorySegment source, long length) {
        long done = 0;
        while (done < length) {
            long room = (long) segmentBlocks * BlockDevice.BLOCK_BYTES - used;
            if (room == 0) {
                writeSegment(runFrom(usedBlocks + segmentBlocks));
                continue;
            }
            long n = Math.min(room, length - done);
            MemorySegment.copy(source, done, buffer, used, n);
            used += n;
            done += n;
        }
    }

    /** Starts the last write and returns how many of the blocks are in use. The image is durable after the writer's flush. */
    int finish() {
        int needed = (int) ((used + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES);
        segmentBlocks = needed;
        writeSegment(0);
        return usedBlocks;
    }

    private void writeSegment(int nextBlocks) {
        int next = nextBlocks == 0 ? 0 : blocks[usedBlocks + segmentBlocks];
        buffer.set(INT, 0, FORMAT_VERSION);
        buffer.set(INT, 4, MAGIC);
        buffer.set(LONG, 8, image);
        buffer.set(INT, 16, (int) used);
        buffer.set(INT, 20, 0);
        buffer.set(INT, 24, index++);
        buffer.set(INT, 28, next);
        buffer.set(INT, 32, nextBlocks);
        buffer.set(INT, CHECKSUM_OFFSET, checksum(buffer, used));
        long bytes = (long) segmentBlocks * BlockDevice.BLOCK_BYTES;
        buffer.asSlice(used, bytes - used).fill((byte) 0);
        device.writeTaken(bytes, (long) blocks[usedBlocks] * BlockDevice.BLOCK_BYTES);
        usedBlocks += segmentBlocks;
        if (nextBlocks > 0) {
            buffer = device.take();
        }
        segmentBlocks = nextBlocks;
        used = HEADER_BYTES;
    }

    /** Of a segment's header before the checksum, and its used bytes. */
    static int checksum(MemorySegment segment, long used) {
        return Checksum.of(segment, CHECKSUM_OFFSET, HEADER_BYTES, used - HEADER_BYTES);
    }
}
