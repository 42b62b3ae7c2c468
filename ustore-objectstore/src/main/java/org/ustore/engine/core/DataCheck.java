package org.ustore.engine.core;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.AlignedBuffers;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.Checksum;
import org.ustore.engine.meta.ByteReader;

/** Looks whether the data that a record says lies in its place is there. */
final class DataCheck implements LogRecord.Target {
    private final BlockDevice device;
    private final ByteBuffer buffer = AlignedBuffers.allocateBuffer(BlockDevice.BLOCK_BYTES);
    private boolean matches = true;

    private DataCheck(BlockDevice device) {
        this.device = device;
    }

    /** Whether all of it is there; changes nothing. */
    static boolean matches(BlockDevice device, ByteReader record) {
        DataCheck check = new DataCheck(device);
        LogRecord.decode(record, check);
        return check.matches;
    }

    @Override
    public void redirected(int first, int[] checksums) {
        for (int i = 0; i < checksums.length && matches; i++) {
            device.read(buffer.clear(), (long) (first + i) * BlockDevice.BLOCK_BYTES);
            matches = Checksum.of(buffer, 0, BlockDevice.BLOCK_BYTES) == checksums[i];
        }
    }

    @Override
    public void inline(int first, int count, MemorySegment data, long offset) {}

    @Override
    public void reference(int first, int count) {}

    @Override
    public void dereference(int first, int count) {}

    @Override
    public void batch(WriteBatch batch) {}
}
