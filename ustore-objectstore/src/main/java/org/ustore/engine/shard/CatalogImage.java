package org.ustore.engine.shard;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.meta.BlockMap;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.engine.meta.Catalog;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Names;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.SortedTable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The records of a checkpoint image. Strings carry a u32 length.
 *
 * <pre>
 *  collection  1 u8 | name | bits u32                    objects of it follow, ascending
 *  object      2 u8 | name | size u64 | omap header
 *              | attributes u32 x (name, value)
 *              | runs u32 x (first u32, count u32, count x (device block u32, CRC-32C u32))
 *  omap        3 u8 | entries u32 x (key, value)         of the object before; as many records as it takes
 *  end         4 u8 | objects u64
 * </pre>
 */
final class CatalogImage {
    private static final int COLLECTION = 1;
    private static final int OBJECT = 2;
    private static final int OMAP = 3;
    private static final int END = 4;

    /** Omap records end at about this many bytes. */
    private static final int OMAP_RECORD_BYTES = 64 << 10;

    private final ByteWriter record = new ByteWriter(2 * OMAP_RECORD_BYTES);
    private final ImageWriter out;
    private long objects;

    private CatalogImage(ImageWriter out) {
        this.out = out;
    }

    /** Appends everything to {@code out}. Any thread; the collections are a snapshot. */
    static void encode(List<CollectionState> collections, ImageWriter out) {
        new CatalogImage(out).encode(collections);
    }

    private void encode(List<CollectionState> collections) {
        for (CollectionState collection : collections) {
            begin(COLLECTION);
            Names.encode(record, collection.id());
            record.putInt(collection.bits);
            out.append(record);
            SortedTable.Cursor<org.ustore.objectstore.ObjectId, Onode> at =
                    collection.objects().cursor();
            for (at.first(); at.valid(); at.next()) {
                begin(OBJECT);
                Names.encode(record, at.key());
                encodeObject(at.value());
            }
        }
        begin(END);
        record.putLong(objects);
        out.append(record);
    }

    private void begin(int type) {
        record.truncate(0);
        record.putByte(type);
    }

    private void encodeObject(Onode onode) {
        record.putLong(onode.size);
        record.putString(onode.omapHeader());
        record.putInt(onode.attributes().size());
        onode.attributes().forEach((name, value) -> {
            record.putString(name);
            record.putString(value);
        });
        encodeRuns(onode.blocks());
        out.append(record);
        objects++;
        SortedTable<ByteString, ByteString> omap = onode.omapOrNull();
        if (omap != null) {
            encodeOmap(omap);
        }
    }

    private void encodeRuns(BlockMap blocks) {
        long countAt = record.size();
        record.putInt(0);
        int runs = 0;
        int end = blocks.endBlock();
        int i = blocks.nextMapped(0, end);
        while (i < end) {
            record.putInt(i);
            long lengthAt = record.size();
            record.putInt(0);
            int first = i;
            for (; i < end && blocks.block(i) != BlockMap.HOLE; i++) {
                record.putInt(blocks.block(i));
                record.putInt(blocks.checksum(i));
            }
            record.setInt(lengthAt, i - first);
            runs++;
            i = blocks.nextMapped(i, end);
        }
        record.setInt(countAt, runs);
    }

    private void encodeOmap(SortedTable<ByteString, ByteString> omap) {
        SortedTable.Cursor<ByteString, ByteString> at = omap.cursor();
        at.first();
        while (at.valid()) {
            begin(OMAP);
            long countAt = record.size();
            record.putInt(0);
            int count = 0;
            for (; at.valid() && record.size() < OMAP_RECORD_BYTES; at.next()) {
                record.putString(at.key());
                record.putString(at.value());
                count++;
            }
            record.setInt(countAt, count);
            out.append(record);
        }
    }

    /**
     * Reads everything into an empty catalog, without its usage.
     *
     * @throws ObjectStoreException {@code EIO} if anything is malformed or missing
     */
    static void decode(ImageReader in, Catalog catalog) {
        @Nullable CollectionState collection = null;
        @Nullable Onode onode = null;
        long objects = 0;
        for (ByteReader record = in.next(); record != null; record = in.next()) {
            int type = record.getByte();
            if (type == COLLECTION) {
                collection = new CollectionState(Names.decodeCollection(record), record.getInt());
                catalog.add(collection);
            } else if (type == OBJECT && collection != null) {
                onode = decodeObject(record, collection);
                objects++;
            } else if (type == OMAP && onode != null) {
                decodeEntries(record, onode.omap());
            } else if (type == END && record.getLong() == objects) {
                return;
            } else {
                throw new ObjectStoreException(
                        ErrorCode.EIO,
                        "malformed checkpoint image: record type " + type + " after " + objects + " objects");
            }
        }
        throw new ObjectStoreException(ErrorCode.EIO, "checkpoint image ends early, after " + objects + " objects");
    }

    private static Onode decodeObject(ByteReader in, CollectionState collection) {
        Onode onode = new Onode(collection.objects().owner());
        collection.objects().put(Names.decodeObject(in), onode);
        onode.size = in.getLong();
        onode.setOmapHeader(in.getString());
        decodeEntries(in, onode.attributes());
        int runs = in.getCount(8);
        for (int r = 0; r < runs; r++) {
            int first = in.getInt();
            int count = in.getCount(8);
            for (int i = 0; i < count; i++) {
                onode.blocks().set(first + i, in.getInt(), in.getInt());
            }
        }
        return onode;
    }

    private static void decodeEntries(ByteReader in, SortedTable<ByteString, ByteString> table) {
        int count = in.getCount(8);
        for (int i = 0; i < count; i++) {
            table.put(in.getString(), in.getString());
        }
    }
}
