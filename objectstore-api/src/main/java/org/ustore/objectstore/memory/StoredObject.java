package org.ustore.objectstore.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.Payload;

/**
 * One version of an object. Immutable, the blocks included: every change gives a new value that shares what it left
 * alone. Safe for use by any thread.
 *
 * @param sizeBytes logical size
 * @param blocks data by block number ({@value #BLOCK_BYTES} bytes each); a block that is absent reads as zeros, and so
 *     does everything past the size, in the last block too
 * @param attributes by name
 * @param omap by key
 * @param header the omap header, empty if there is none
 */
record StoredObject(
        long sizeBytes,
        NavigableMap<Long, byte[]> blocks,
        NavigableMap<ByteString, ByteString> attributes,
        NavigableMap<ByteString, ByteString> omap,
        ByteString header) {

    static final int BLOCK_BYTES = 4096;

    static final StoredObject NEW = new StoredObject(
            0,
            Collections.emptyNavigableMap(),
            Collections.emptyNavigableMap(),
            Collections.emptyNavigableMap(),
            ByteString.EMPTY);

    /** Memory taken by data. */
    long allocatedBytes() {
        return (long) blocks.size() * BLOCK_BYTES;
    }

    /** Bytes of keys, values and header. */
    long omapBytes() {
        long sum = header.length();
        for (Map.Entry<ByteString, ByteString> entry : omap.entrySet()) {
            sum += entry.getKey().length() + entry.getValue().length();
        }
        return sum;
    }

    /** Copies {@code length} bytes from {@code offset}, all of them before the end, to {@code target}. */
    void read(long offset, MemorySegment target, long targetOffset, long length) {
        for (long done = 0; done < length; ) {
            long position = offset + done;
            int inBlock = (int) (position % BLOCK_BYTES);
            int n = (int) Math.min(length - done, BLOCK_BYTES - inBlock);
            byte[] block = blocks.get(position / BLOCK_BYTES);
            if (block == null) {
                target.asSlice(targetOffset + done, n).fill((byte) 0);
            } else {
                MemorySegment.copy(MemorySegment.ofArray(block), inBlock, target, targetOffset + done, n);
            }
            done += n;
        }
    }

    /** The runs of present blocks within the range, clipped to range and end. */
    List<Extent> extents(long offset, long length) {
        List<Extent> result = new ArrayList<>();
        if (offset >= sizeBytes || length == 0) {
            return result;
        }
        long end = offset + Math.min(length, sizeBytes - offset);
        long runStart = -1;
        long runEnd = -1;
        for (long block : blocks.subMap(offset / BLOCK_BYTES, true, (end - 1) / BLOCK_BYTES, true)
                .keySet()) {
            long from = Math.max(offset, block * BLOCK_BYTES);
            if (from != runEnd) {
                if (runStart >= 0) {
                    result.add(new Extent(runStart, runEnd - runStart));
                }
                runStart = from;
            }
            runEnd = Math.min(end, (block + 1) * BLOCK_BYTES);
        }
        if (runStart >= 0) {
            result.add(new Extent(runStart, runEnd - runStart));
        }
        return result;
    }

    StoredObject write(long offset, Payload data) {
        if (data.sizeBytes() == 0) {
            return this;
        }
        NavigableMap<Long, byte[]> changed = new TreeMap<>(blocks);
        for (long done = 0; done < data.sizeBytes(); ) {
            long position = offset + done;
            int inBlock = (int) (position % BLOCK_BYTES);
            int n = (int) Math.min(data.sizeBytes() - done, BLOCK_BYTES - inBlock);
            byte[] block = copyOfBlock(changed, position / BLOCK_BYTES);
            data.copyTo(done, MemorySegment.ofArray(block), inBlock, n);
            changed.put(position / BLOCK_BYTES, block);
            done += n;
        }
        return withData(Math.max(sizeBytes, offset + data.sizeBytes()), changed);
    }

    StoredObject zero(long offset, long length) {
        return length == 0
                ? this
                : withData(Math.max(sizeBytes, offset + length), withoutRange(offset, offset + length));
    }

    StoredObject truncate(long size) {
        return withData(size, size < sizeBytes ? withoutRange(size, sizeBytes) : blocks);
    }

    /** Copies a range of {@code source}, which lies before its end, as if by way of a buffer. */
    StoredObject cloneRange(StoredObject source, long offset, long length, long targetOffset) {
        StoredObject result = zero(targetOffset, length);
        for (Extent extent : source.extents(offset, length)) {
            byte[] bytes = new byte[Math.toIntExact(extent.length())];
            source.read(extent.offset(), MemorySegment.ofArray(bytes), 0, bytes.length);
            result = result.write(targetOffset + extent.offset() - offset, Payload.of(bytes));
        }
        return result;
    }

    StoredObject setAttributes(Map<ByteString, ByteString> values) {
        NavigableMap<ByteString, ByteString> changed = new TreeMap<>(attributes);
        changed.putAll(values);
        return withAttributes(changed);
    }

    StoredObject removeAttribute(ByteString name) {
        NavigableMap<ByteString, ByteString> changed = new TreeMap<>(attributes);
        changed.remove(name);
        return withAttributes(changed);
    }

    StoredObject removeAllAttributes() {
        return withAttributes(Collections.emptyNavigableMap());
    }

    StoredObject omapClear() {
        return withOmap(Collections.emptyNavigableMap(), ByteString.EMPTY);
    }

    StoredObject omapSetKeys(Map<ByteString, ByteString> entries) {
        NavigableMap<ByteString, ByteString> changed = new TreeMap<>(omap);
        changed.putAll(entries);
        return withOmap(changed, header);
    }

    StoredObject omapRemoveKeys(Set<ByteString> keys) {
        NavigableMap<ByteString, ByteString> changed = new TreeMap<>(omap);
        changed.keySet().removeAll(keys);
        return withOmap(changed, header);
    }

    StoredObject omapRemoveKeyRange(ByteString first, ByteString last) {
        if (first.compareTo(last) >= 0) {
            return this;
        }
        NavigableMap<ByteString, ByteString> changed = new TreeMap<>(omap);
        changed.subMap(first, true, last, false).clear();
        return withOmap(changed, header);
    }

    StoredObject omapSetHeader(ByteString newHeader) {
        return withOmap(omap, newHeader);
    }

    private NavigableMap<Long, byte[]> withoutRange(long from, long to) {
        NavigableMap<Long, byte[]> changed = new TreeMap<>(blocks);
        long firstWhole = Math.ceilDiv(from, (long) BLOCK_BYTES);
        long endWhole = to / BLOCK_BYTES;
        if (firstWhole < endWhole) {
            changed.subMap(firstWhole, true, endWhole, false).clear();
        }
        clearPart(changed, from, Math.min(to, firstWhole * BLOCK_BYTES));
        clearPart(changed, Math.max(from, endWhole * BLOCK_BYTES), to);
        return changed;
    }

    /** Zeroes a range that lies within one block. */
    private static void clearPart(NavigableMap<Long, byte[]> blocks, long from, long to) {
        long number = from / BLOCK_BYTES;
        if (from >= to || !blocks.containsKey(number)) {
            return;
        }
        byte[] block = copyOfBlock(blocks, number);
        MemorySegment.ofArray(block).asSlice(from % BLOCK_BYTES, to - from).fill((byte) 0);
        blocks.put(number, block);
    }

    private static byte[] copyOfBlock(NavigableMap<Long, byte[]> blocks, long number) {
        byte[] block = blocks.get(number);
        return block == null ? new byte[BLOCK_BYTES] : block.clone();
    }

    private StoredObject withData(long size, NavigableMap<Long, byte[]> newBlocks) {
        return new StoredObject(size, newBlocks, attributes, omap, header);
    }

    private StoredObject withAttributes(NavigableMap<ByteString, ByteString> newAttributes) {
        return new StoredObject(sizeBytes, blocks, newAttributes, omap, header);
    }

    private StoredObject withOmap(NavigableMap<ByteString, ByteString> newOmap, ByteString newHeader) {
        return new StoredObject(sizeBytes, blocks, attributes, newOmap, newHeader);
    }
}
