package org.ustore.engine.meta;

import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.BlockDevice;
import org.ustore.objectstore.ByteString;

/** Everything about one object but its name. Change only what {@link CollectionState#writable} returned. */
public final class Onode {
    /** Size in bytes. */
    public long size;

    private final Owner owner;
    private final BlockMap blocks;
    private final SortedTable<ByteString, ByteString> attributes;
    private @Nullable SortedTable<ByteString, ByteString> omap;
    private ByteString omapHeader;

    /** An empty object that the table with this token may change. */
    public Onode(Owner owner) {
        this.owner = owner;
        this.blocks = new BlockMap();
        this.attributes = new SortedTable<>();
        this.omapHeader = ByteString.EMPTY;
    }

    private Onode(Owner owner, Onode other) {
        this.owner = owner;
        this.size = other.size;
        this.blocks = other.blocks.copy();
        this.attributes = other.attributes.snapshot();
        this.omap = other.omap == null ? null : other.omap.snapshot();
        this.omapHeader = other.omapHeader;
    }

    /** An independent object of the same content. */
    public Onode copy(Owner newOwner) {
        return new Onode(newOwner, this);
    }

    Owner owner() {
        return owner;
    }

    /** Where its data is. */
    public BlockMap blocks() {
        return blocks;
    }

    /** Its attributes. */
    public SortedTable<ByteString, ByteString> attributes() {
        return attributes;
    }

    /** Its omap entries, or null if it never had any. */
    public @Nullable SortedTable<ByteString, ByteString> omapOrNull() {
        return omap;
    }

    /** Its omap entries, to add to. */
    public SortedTable<ByteString, ByteString> omap() {
        SortedTable<ByteString, ByteString> table = omap;
        if (table == null) {
            table = new SortedTable<>();
            omap = table;
        }
        return table;
    }

    /** Lets go of all omap entries. */
    public void dropOmap() {
        omap = null;
    }

    /** Its omap header, empty if there is none. */
    public ByteString omapHeader() {
        return omapHeader;
    }

    /** Sets the omap header. */
    public void setOmapHeader(ByteString header) {
        omapHeader = header;
    }

    /** Number of its blocks up to its end, holes included. */
    public int sizeBlocks() {
        return (int) ((size + BlockDevice.BLOCK_BYTES - 1) / BlockDevice.BLOCK_BYTES);
    }

    /** Bytes within its end that are not holes. */
    public long storedBytes() {
        long bytes = (long) blocks.mappedBlocks() * BlockDevice.BLOCK_BYTES;
        int tail = (int) (size % BlockDevice.BLOCK_BYTES);
        boolean partialTail = tail != 0 && blocks.block(sizeBlocks() - 1) != BlockMap.HOLE;
        return partialTail ? bytes - (BlockDevice.BLOCK_BYTES - tail) : bytes;
    }
}
