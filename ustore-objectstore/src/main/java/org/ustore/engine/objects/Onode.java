package org.ustore.engine.objects;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Everything about an object but its name, its data's places and its omap entries: the value of its key. Little-endian:
 *
 * <pre>
 *   0  format version  u8    |  1  nid           u64   |   9  size           u64
 *  17  mapped blocks   u32   | 21  omap bytes    u64   |  29  attributes     u32
 *  33  omap header, then name and value of each attribute, ascending: length u32 | bytes
 * </pre>
 *
 * <p>One that others can see is never changed; who changes an object makes a {@link #copy} first.
 */
final class Onode {
    private static final int FORMAT_VERSION = 1;
    private static final int FIXED_BYTES = 33;

    /** Names what belongs to the object in other keys; never used again. */
    final long nid;

    /** Size in bytes. */
    long size;
    /** Number of blocks that are not holes. */
    int mappedBlocks;
    /** Bytes of omap keys and values. */
    long omapBytes;

    ByteString omapHeader;
    private final SortedMap<ByteString, ByteString> attributes;

    /** An empty object. */
    Onode(long nid) {
        this(nid, new TreeMap<>());
    }

    private Onode(long nid, SortedMap<ByteString, ByteString> attributes) {
        this.nid = nid;
        this.attributes = attributes;
        this.omapHeader = ByteString.EMPTY;
    }

    /** An independent object of the same content, named {@code newNid}. */
    Onode copy(long newNid) {
        Onode copy = new Onode(newNid, new TreeMap<>(attributes));
        copy.size = size;
        copy.mappedBlocks = mappedBlocks;
        copy.omapBytes = omapBytes;
        copy.omapHeader = omapHeader;
        return copy;
    }

    /** Its attributes, to change. */
    SortedMap<ByteString, ByteString> attributes() {
        return attributes;
    }

    /** Its attributes, to look at. */
    Map<ByteString, ByteString> attributesView() {
        return Collections.unmodifiableMap(attributes);
    }

    /** Number of its blocks up to its end, holes included. */
    int sizeBlocks() {
        return (int) ((size + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES);
    }

    /** Bytes of memory it takes, about. */
    int memoryBytes() {
        int bytes = 300 + omapHeader.length();
        for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
            bytes += 150 + attribute.getKey().length() + attribute.getValue().length();
        }
        return bytes;
    }

    byte[] encode() {
        int bytes = FIXED_BYTES + 4 + omapHeader.length();
        for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
            bytes += 8 + attribute.getKey().length() + attribute.getValue().length();
        }
        byte[] result = new byte[bytes];
        MemorySegment out = MemorySegment.ofArray(result);
        result[0] = FORMAT_VERSION;
        out.set(ByteWriter.LONG, 1, nid);
        out.set(ByteWriter.LONG, 9, size);
        out.set(ByteWriter.INT, 17, mappedBlocks);
        out.set(ByteWriter.LONG, 21, omapBytes);
        out.set(ByteWriter.INT, 29, attributes.size());
        int at = putString(out, FIXED_BYTES, omapHeader);
        for (Map.Entry<ByteString, ByteString> attribute : attributes.entrySet()) {
            at = putString(out, at, attribute.getKey());
            at = putString(out, at, attribute.getValue());
        }
        return result;
    }

    private static int putString(MemorySegment out, int at, ByteString value) {
        out.set(ByteWriter.INT, at, value.length());
        value.copyTo(out, at + 4);
        return at + 4 + value.length();
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws ObjectStoreException {@code EIO} if it is malformed
     */
    static Onode decode(byte[] value) {
        ByteReader in = new ByteReader(MemorySegment.ofArray(value), 0, value.length);
        int version = in.getByte();
        if (version != FORMAT_VERSION) {
            throw new ObjectStoreException(
                    ErrorCode.EIO, "malformed metadata: object of version=" + version + " known=" + FORMAT_VERSION);
        }
        Onode onode = new Onode(in.getLong());
        onode.size = in.getLong();
        onode.mappedBlocks = in.getInt();
        onode.omapBytes = in.getLong();
        int count = in.getCount(0);
        onode.omapHeader = in.getString();
        for (int i = 0; i < count; i++) {
            ByteString name = in.getString();
            onode.attributes.put(name, in.getString());
        }
        return onode;
    }
}
