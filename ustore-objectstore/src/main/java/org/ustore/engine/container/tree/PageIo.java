package org.ustore.engine.container.tree;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Pages from and to the device; the only class here that knows the device.
 *
 * <p>Every page read is verified. Safe for use by any thread, {@link #write} by one at a time.
 */
final class PageIo {
    /** Longest write in bytes. */
    private static final int WRITE_BYTES = 1 << 20;

    private static final int IDLE_BUFFERS = 8;

    private final BlockDevice device;
    private final AlignedBuffers readBuffers = new AlignedBuffers(PageFormat.MAX_PAGE_BYTES, IDLE_BUFFERS);
    private final LongAdder reads = new LongAdder();
    private final LongAdder rereads = new LongAdder();

    PageIo(BlockDevice device) {
        this.device = device;
    }

    /** Pages read so far, each counted once. */
    long reads() {
        return reads.sum();
    }

    /** Pages that had to be read a second time. */
    long rereads() {
        return rereads.sum();
    }

    /**
     * Reads the page that {@code ref} says, a second time if the first fails or finds a defect.
     *
     * @throws ObjectStoreException {@code EIO} that names the page
     */
    Page read(PageRef ref) {
        reads.increment();
        checkPlace(ref);
        byte[] data = new byte[ref.blocks * BlockDevice.BLOCK_BYTES];
        try {
            if (fill(data, ref) == null) {
                return Page.loaded(data, ref.level);
            }
        } catch (ObjectStoreException e) {
            // Told below if it happens again.
        }
        rereads.increment();
        @Nullable ObjectStoreException failure = null;
        @Nullable String defect;
        try {
            defect = fill(data, ref);
        } catch (ObjectStoreException e) {
            failure = e;
            defect = e.getMessage();
        }
        if (defect == null) {
            return Page.loaded(data, ref.level);
        }
        throw damaged(ref, defect, failure);
    }

    private @Nullable String fill(byte[] data, PageRef ref) {
        ByteBuffer buffer = readBuffers.take();
        try {
            device.read(buffer.limit(data.length), ref.block * BlockDevice.BLOCK_BYTES);
            buffer.get(0, data);
        } finally {
            readBuffers.give(buffer);
        }
        return PageFormat.defect(data, ref);
    }

    private void checkPlace(PageRef ref) {
        long deviceBlocks = device.sizeBytes() / BlockDevice.BLOCK_BYTES;
        int most = PageFormat.MAX_PAGE_BYTES / BlockDevice.BLOCK_BYTES;
        if (ref.blocks < 1 || ref.blocks > most || ref.block < 1 || ref.block > deviceBlocks - ref.blocks) {
            throw damaged(ref, "outside the device of " + deviceBlocks + " blocks", null);
        }
    }

    private ObjectStoreException damaged(PageRef ref, String what, @Nullable Throwable cause) {
        return new ObjectStoreException(
                ErrorCode.EIO,
                "metadata page damaged: device=" + device.name() + " block=" + ref.block + " blocks=" + ref.blocks
                        + " level=" + ref.level + ": " + what + "; run fsck",
                cause);
    }

    /** Writes the pages at their places, those next to each other together; {@code pages} is in order of places. */
    void write(List<PageRef> pages) {
        ByteBuffer buffer = AlignedBuffers.allocateBuffer(WRITE_BYTES);
        long start = 0;
        for (PageRef ref : pages) {
            Page page = ref.page;
            if (page == null) {
                throw new IllegalStateException("a page that is not written left memory: block=" + ref.block);
            }
            int length = page.data.length;
            long next = start + buffer.position() / BlockDevice.BLOCK_BYTES;
            if (buffer.position() > 0 && (ref.block != next || length > buffer.remaining())) {
                writeOut(buffer, start);
            }
            if (buffer.position() == 0) {
                start = ref.block;
            }
            buffer.put(page.data);
        }
        if (buffer.position() > 0) {
            writeOut(buffer, start);
        }
    }

    private void writeOut(ByteBuffer buffer, long block) {
        device.write(buffer.flip(), block * BlockDevice.BLOCK_BYTES);
        buffer.clear();
    }

    void flush() {
        device.flush();
    }
}
