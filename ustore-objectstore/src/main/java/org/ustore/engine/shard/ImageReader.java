package org.ustore.engine.shard;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.space.IntList;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Reads what an {@link ImageWriter} wrote; anything wrong throws {@code EIO}. Used by one thread. */
final class ImageReader {
    private final BlockDevice device;
    private final long image;
    private final IntList blocks = new IntList();
    private final MemorySegment buffer =
            AlignedBuffers.allocate((long) ImageWriter.MAX_SEGMENT_BLOCKS * BlockDevice.BLOCK_BYTES);
    private MemorySegment record = AlignedBuffers.allocate(1 << 16);
    private int nextBlock;
    private int nextBlocks;
    private int index;
    private long position;
    private long used;

    ImageReader(BlockDevice device, Superblock superblock) {
        this.device = device;
        this.image = superblock.imageSequence();
        this.nextBlock = superblock.imageFirstBlock();
        this.nextBlocks = superblock.imageFirstBlocks();
    }

    /** The next record, valid until the following call, or null after the last. */
    @Nullable ByteReader next() {
        if (position == used && nextBlocks == 0) {
            return null;
        }
        read(4);
        int length = record.get(ImageWriter.INT, 0);
        if (length < 0) {
            throw corrupt("record length=" + length);
        }
        if (length > record.byteSize()) {
            record = AlignedBuffers.allocate(length);
        }
        read(length);
        return new ByteReader(record, 0, length);
    }

    /** The blocks read so far. */
    int[] blocks() {
        return blocks.toArray();
    }

    private void read(int length) {
        long done = 0;
        while (done < length) {
            if (position == used) {
                readSegment();
            }
            long n = Math.min(length - done, used - position);
            MemorySegment.copy(buffer, position, record, done, n);
            position += n;
            done += n;
        }
    }

    private void readSegment() {
        int count = nextBlocks;
        int first = nextBlock;
        if (count <= 0 || count > ImageWriter.MAX_SEGMENT_BLOCKS || first <= 0) {
            throw corrupt("segment of " + count + " blocks");
        }
        long bytes = (long) count * BlockDevice.BLOCK_BYTES;
        device.read(buffer.asSlice(0, bytes).asByteBuffer(), (long) first * BlockDevice.BLOCK_BYTES);
        long usedBytes = buffer.get(ImageWriter.INT, 16);
        if (buffer.get(ImageWriter.INT, 0) != ImageWriter.FORMAT_VERSION
                || buffer.get(ImageWriter.INT, 4) != ImageWriter.MAGIC
                || buffer.get(ImageWriter.LONG, 8) != image
                || buffer.get(ImageWriter.INT, 24) != index
                || usedBytes < ImageWriter.HEADER_BYTES
                || usedBytes > bytes) {
            throw corrupt("not the segment expected");
        }
        int found = ImageWriter.checksum(buffer, usedBytes);
        int expected = buffer.get(ImageWriter.INT, ImageWriter.CHECKSUM_OFFSET);
        if (found != expected) {
            throw corrupt(String.format("checksum expected=%08x found=%08x", expected, found));
        }
        // The last segment uses fewer blocks than the run it was given; the rest is free.
        for (int i = 0; (long) i * BlockDevice.BLOCK_BYTES < usedBytes; i++) {
            blocks.add(first + i);
        }
        nextBlock = buffer.get(ImageWriter.INT, 28);
        nextBlocks = buffer.get(ImageWriter.INT, 32);
        position = ImageWriter.HEADER_BYTES;
        used = usedBytes;
        index++;
    }

    private ObjectStoreException corrupt(String what) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                "checkpoint image " + image + " of " + device.name() + " is damaged: segment=" + index + " block="
                        + nextBlock + ": " + what);
    }
}
