package org.ustore.engine.meta;

import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ObjectId;

/** What the objects of one pool take. */
public final class Usage {
    /** Bytes of an entry's two lengths in the image. */
    private static final long ENTRY_BYTES = 8;
    /** Bytes of an object's fixed part in the image, record headers included. */
    private static final long OBJECT_BYTES = 128;
    /** Most bytes a mapped block takes in the image: a run of one, with its own start and length. */
    public static final int BLOCK_BYTES = 16;

    /** Bytes within objects' ends that are not holes. */
    public long storedBytes;
    /** Device blocks of data, shared ones once. */
    public long allocatedBlocks;
    /** Bytes of omap keys, values and headers. */
    public long omapBytes;
    /** Upper bound of what the objects take in a checkpoint image, in bytes. */
    public long imageBytes;

    /** Most bytes a named object without content takes in the image. */
    public static long objectBytes(ObjectId object) {
        return OBJECT_BYTES + Names.encodedBytes(object);
    }

    /** Bytes an attribute or omap entry takes in the image. */
    public static long entryBytes(ByteString key, ByteString value) {
        return ENTRY_BYTES + key.length() + value.length();
    }

    /** Adds all of an object but the device blocks, which may be shared. */
    public void addObject(ObjectId object, Onode onode) {
        storedBytes += onode.storedBytes();
        imageBytes += objectBytes(object) + (long) onode.blocks().mappedBlocks() * BLOCK_BYTES;
        onode.attributes().forEach((k, v) -> imageBytes += entryBytes(k, v));
        SortedTable<ByteString, ByteString> omap = onode.omapOrNull();
        if (omap != null) {
            omap.forEach(this::addOmapEntry);
        }
        omapBytes += onode.omapHeader().length();
        imageBytes += onode.omapHeader().length();
    }

    /** Adds an omap entry. */
    public void addOmapEntry(ByteString key, ByteString value) {
        omapBytes += key.length() + value.length();
        imageBytes += entryBytes(key, value);
    }

    /** Takes away an omap entry. */
    public void removeOmapEntry(ByteString key, ByteString value) {
        omapBytes -= key.length() + value.length();
        imageBytes -= entryBytes(key, value);
    }

    /** Takes away {@code other} from this. */
    public void subtract(Usage other) {
        storedBytes -= other.storedBytes;
        allocatedBlocks -= other.allocatedBlocks;
        omapBytes -= other.omapBytes;
        imageBytes -= other.imageBytes;
    }

    /** Adds {@code other} to this. */
    public void add(Usage other) {
        storedBytes += other.storedBytes;
        allocatedBlocks += other.allocatedBlocks;
        omapBytes += other.omapBytes;
        imageBytes += other.imageBytes;
    }

    /** Whether nothing is used. */
    public boolean isZero() {
        return storedBytes == 0 && allocatedBlocks == 0 && omapBytes == 0 && imageBytes == 0;
    }

    @Override
    public String toString() {
        return "storedBytes=" + storedBytes + " allocatedBlocks=" + allocatedBlocks + " omapBytes=" + omapBytes
                + " imageBytes=" + imageBytes;
    }
}
