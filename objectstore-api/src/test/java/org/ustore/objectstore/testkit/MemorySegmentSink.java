package org.ustore.objectstore.testkit;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.ObjectId;

/** Memory for reads of tests. */
final class MemorySegmentSink {
    private MemorySegmentSink() {}

    static MemorySegment array(long bytes) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
    }

    static byte[] read(Collection collection, ObjectId object, Extent... extents) {
        byte[][] result = new byte[1][];
        long read = collection.read(object, List.of(extents), bytes -> {
            result[0] = new byte[Math.toIntExact(bytes)];
            return MemorySegment.ofArray(result[0]);
        });
        if (read != result[0].length) {
            throw new AssertionError("read returned " + read + ", asked for memory of " + result[0].length);
        }
        return result[0];
    }
}
