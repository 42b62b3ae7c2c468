package org.ustore.engine.store;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.engine.meta.Names;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Changes as the log carries them: one byte of code, then little-endian fields; strings carry a u32 length.
 *
 * <pre>
 *   1 select             collection, object
 *   2 create
 *   3 remove
 *   4 blocks             first u32, count u32, size u64, kind u8, count x (block u32, CRC-32C u32),
 *                        kind 0: count x 4096 bytes
 *   5 punch              first u32, count u32, size u64
 *   6 set attributes     u32 x (name, value)
 *   7 remove attribute   name
 *   8 remove attributes
 *   9 clone              object
 *  10 rename             collection, object
 *  11 omap set           u32 x (key, value)
 *  12 omap remove        u32 x key
 *  13 omap remove range  first, last
 *  14 omap clear
 *  15 omap header        value
 *  16 make collection    collection, bits u32
 *  17 remove collection  collection
 *  18 set bits           collection, bits u32
 *  19 split              collection, child, bits u32, seed u32
 *  20 merge              collection, target, bits u32
 * </pre>
 */
final class LogRecord implements Changes {
    private static final int SELECT = 1;
    private static final int CREATE = 2;
    private static final int REMOVE = 3;
    private static final int BLOCKS = 4;
    private static final int PUNCH = 5;
    private static final int SET_ATTRIBUTES = 6;
    private static final int REMOVE_ATTRIBUTE = 7;
    private static final int REMOVE_ATTRIBUTES = 8;
    private static final int CLONE = 9;
    private static final int RENAME = 10;
    private static final int OMAP_SET = 11;
    private static final int OMAP_REMOVE = 12;
    private static final int OMAP_REMOVE_RANGE = 13;
    private static final int OMAP_CLEAR = 14;
    private static final int OMAP_HEADER = 15;
    private static final int MAKE_COLLECTION = 16;
    private static final int REMOVE_COLLECTION = 17;
    private static final int SET_BITS = 18;
    private static final int SPLIT = 19;
    private static final int MERGE = 20;

    private final ByteWriter out;
    private @Nullable CollectionId collection;
    private @Nullable ObjectId object;

    /** Appends to {@code out}. */
    LogRecord(ByteWriter out) {
        this.out = out;
    }

    /**
     * Reads a record and passes its changes on.
     *
     * @throws ObjectStoreException {@code EIO} if it is malformed
     */
    static void decode(ByteReader in, Changes to) {
        while (in.remaining() > 0) {
            int code = in.getByte();
            switch (code) {
                case SELECT -> to.select(Names.decodeCollection(in), Names.decodeObject(in));
                case CREATE -> to.create();
                case REMOVE -> to.remove();
                case BLOCKS -> decodeBlocks(in, to);
                case PUNCH -> to.punch(in.getInt(), in.getInt(), in.getLong());
                case SET_ATTRIBUTES -> to.setAttributes(decodeMap(in));
                case REMOVE_ATTRIBUTE -> to.removeAttribute(in.getString());
                case REMOVE_ATTRIBUTES -> to.removeAllAttributes();
                case CLONE -> to.cloneTo(Names.decodeObject(in));
                case RENAME -> to.rename(Names.decodeCollection(in), Names.decodeObject(in));
                case OMAP_SET -> to.omapSet(decodeMap(in));
                case OMAP_REMOVE -> to.omapRemove(decodeSet(in));
                case OMAP_REMOVE_RANGE -> to.omapRemoveRange(in.getString(), in.getString());
                case OMAP_CLEAR -> to.omapClear();
                case OMAP_HEADER -> to.omapSetHeader(in.getString());
                case MAKE_COLLECTION -> to.makeCollection(Names.decodeCollection(in), in.getInt());
                case REMOVE_COLLECTION -> to.removeCollection(Names.decodeCollection(in));
                case SET_BITS -> to.setBits(Names.decodeCollection(in), in.getInt());
                case SPLIT ->
                    to.split(Names.decodeCollection(in), Names.decodeCollection(in), in.getInt(), in.getInt());
                case MERGE -> to.merge(Names.decodeCollection(in), Names.decodeCollection(in), in.getInt());
                default ->
                    throw new ObjectStoreException(
                            ErrorCode.EIO, "malformed log record: change " + code + " before byte " + in.position());
            }
        }
    }

    private static void decodeBlocks(ByteReader in, Changes to) {
        int first = in.getInt();
        int count = in.getInt();
        long size = in.getLong();
        int code = in.getByte();
        Kind kind = switch (code) {
            case 0 -> Kind.INLINE;
            case 1 -> Kind.REDIRECTED;
            case 2 -> Kind.SHARED;
            default -> throw new ObjectStoreException(ErrorCode.EIO, "malformed log record: kind " + code);
        };
        if (count < 0 || count * 8L > in.remaining()) {
            throw new ObjectStoreException(ErrorCode.EIO, "malformed log record: " + count + " blocks");
        }
        int[] blocks = new int[count];
        int[] checksums = new int[count];
        for (int i = 0; i < count; i++) {
            blocks[i] = in.getInt();
            checksums[i] = in.getInt();
        }
        long data = kind == Kind.INLINE ? in.advance((long) count * BlockDevice.BLOCK_BYTES) : 0;
        to.blocks(first, blocks, checksums, size, kind, in.memory(), data);
    }

    private static Map<ByteString, ByteString> decodeMap(ByteReader in) {
        int count = in.getCount(8);
        Map<ByteString, ByteString> map = LinkedHashMap.newLinkedHashMap(count);
        for (int i = 0; i < count; i++) {
            map.put(in.getString(), in.getString());
        }
        return map;
    }

    private static Set<ByteString> decodeSet(ByteReader in) {
        int count = in.getCount(4);
        Set<ByteString> set = LinkedHashSet.newLinkedHashSet(count);
        for (int i = 0; i < count; i++) {
            set.add(in.getString());
        }
        return set;
    }

    private void encodeMap(Map<ByteString, ByteString> map) {
        out.putInt(map.size());
        map.forEach((key, value) -> {
            out.putString(key);
            out.putString(value);
        });
    }

    @Override
    public void select(CollectionId newCollection, ObjectId newObject) {
        if (newCollection.equals(collection) && newObject.equals(object)) {
            return;
        }
        collection = newCollection;
        object = newObject;
        out.putByte(SELECT);
        Names.encode(out, newCollection);
        Names.encode(out, newObject);
    }

    /** Changes that move objects end the selection, here as in {@link Mutator}. */
    private void forgetSelection() {
        collection = null;
        object = null;
    }

    @Override
    public void create() {
        out.putByte(CREATE);
    }

    @Override
    public void remove() {
        out.putByte(REMOVE);
    }

    @Override
    public void blocks(
            int first, int[] blocks, int[] checksums, long size, Kind kind, MemorySegment data, long dataOffset) {
        out.putByte(BLOCKS);
        out.putInt(first);
        out.putInt(blocks.length);
        out.putLong(size);
        out.putByte(kind.code());
        for (int i = 0; i < blocks.length; i++) {
            out.putInt(blocks[i]);
            out.putInt(checksums[i]);
        }
        if (kind == Kind.INLINE) {
            out.putBytes(data, dataOffset, (long) blocks.length * BlockDevice.BLOCK_BYTES);
        }
    }

    @Override
    public void punch(int first, int count, long size) {
        out.putByte(PUNCH);
        out.putInt(first);
        out.putInt(count);
        out.putLong(size);
    }

    @Override
    public void setAttributes(Map<ByteString, ByteString> attributes) {
        out.putByte(SET_ATTRIBUTES);
        encodeMap(attributes);
    }

    @Override
    public void removeAttribute(ByteString name) {
        out.putByte(REMOVE_ATTRIBUTE);
        out.putString(name);
    }

    @Override
    public void removeAllAttributes() {
        out.putByte(REMOVE_ATTRIBUTES);
    }

    @Override
    public void cloneTo(ObjectId target) {
        out.putByte(CLONE);
        Names.encode(out, target);
    }

    @Override
    public void rename(CollectionId targetCollection, ObjectId target) {
        forgetSelection();
        out.putByte(RENAME);
        Names.encode(out, targetCollection);
        Names.encode(out, target);
    }

    @Override
    public void omapSet(Map<ByteString, ByteString> entries) {
        out.putByte(OMAP_SET);
        encodeMap(entries);
    }

    @Override
    public void omapRemove(Set<ByteString> keys) {
        out.putByte(OMAP_REMOVE);
        out.putInt(keys.size());
        keys.forEach(out::putString);
    }

    @Override
    public void omapRemoveRange(ByteString first, ByteString last) {
        out.putByte(OMAP_REMOVE_RANGE);
        out.putString(first);
        out.putString(last);
    }

    @Override
    public void omapClear() {
        out.putByte(OMAP_CLEAR);
    }

    @Override
    public void omapSetHeader(ByteString header) {
        out.putByte(OMAP_HEADER);
        out.putString(header);
    }

    @Override
    public void makeCollection(CollectionId id, int bits) {
        out.putByte(MAKE_COLLECTION);
        Names.encode(out, id);
        out.putInt(bits);
    }

    @Override
    public void removeCollection(CollectionId id) {
        forgetSelection();
        out.putByte(REMOVE_COLLECTION);
        Names.encode(out, id);
    }

    @Override
    public void setBits(CollectionId id, int bits) {
        out.putByte(SET_BITS);
        Names.encode(out, id);
        out.putInt(bits);
    }

    @Override
    public void split(CollectionId id, CollectionId child, int bits, int seed) {
        forgetSelection();
        out.putByte(SPLIT);
        Names.encode(out, id);
        Names.encode(out, child);
        out.putInt(bits);
        out.putInt(seed);
    }

    @Override
    public void merge(CollectionId id, CollectionId target, int bits) {
        forgetSelection();
        out.putByte(MERGE);
        Names.encode(out, id);
        Names.encode(out, target);
        out.putInt(bits);
    }
}
