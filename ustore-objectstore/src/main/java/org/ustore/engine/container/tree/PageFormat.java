package org.ustore.engine.container.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.ustore.engine.device.BlockDevice;

/**
 * The bytes of a page, in memory and on the device. Little-endian:
 *
 * <pre>
 *    0  format version  u16      4  cells   u16       8  first block   u64      24  lowest cell  u32
 *    2  level, 0 = leaf u8       6  blocks  u16      16  generation    u64      28  zero         u32
 *    3  zero            u8
 *   32  slots, one for each cell in ascending order of keys: where it starts  u16
 *       free
 *       cells, from the end downwards
 *  end-4  CRC-32C of all before u32
 *
 *  cell of a leaf                            cell of an inner page
 *    0  key bytes  u16                         0  key bytes  u16
 *    2  part       u16                         2  part       u16
 *    4  length     u32                         4  checksum of the child           u32
 *    8  key, bytes of the value                8  child: first block * 256 + blocks  u64
 *                                             16  keys below the child            u64
 *                                             24  key
 * </pre>
 *
 * <p>A value longer than {@link #PART_BYTES} is cut into parts, each a cell of its own; cells are ordered by key, then
 * part. The length of part 0 is that of the whole value, of others that of the part. The key and part of an inner cell
 * are a bound: all below the child is at or after it and before that of the next cell; the first cell has none (an empty
 * key), its bound is that of the page itself.
 *
 * <p>A page is {@link #PAGE_BYTES} long; only where long keys demand it, it takes more blocks.
 */
final class PageFormat {
    /** Length of an ordinary page in bytes. */
    static final int PAGE_BYTES = 2 * BlockDevice.BLOCK_BYTES;

    /** Longest page in bytes, as a slot has 16 bits. */
    static final int MAX_PAGE_BYTES = 16 * BlockDevice.BLOCK_BYTES;

    /** Longest piece of a value in one cell in bytes: two with keys of some 80 bytes fill a page. */
    static final int PART_BYTES = 3968;

    /** A part behind any that exists, for bounds. */
    static final int LAST_PART = 0xffff;

    /** More levels than any tree has. */
    static final int MAX_HEIGHT = 40;

    static final int HEADER_BYTES = 32;
    static final int SLOT_BYTES = 2;
    static final int CHECKSUM_BYTES = 4;
    static final int LEAF_CELL_BYTES = 8;
    static final int INNER_CELL_BYTES = 24;

    /** In a cell. */
    static final int PART_AT = 2;

    static final int LENGTH_AT = 4;
    static final int CHILD_CHECKSUM_AT = 4;
    static final int CHILD_RUN_AT = 8;
    static final int CHILD_COUNT_AT = 16;

    static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int FORMAT_VERSION = 1;

    private PageFormat() {}

    /** Fills in the header and the checksum of a page that goes to {@code block}; returns the checksum. */
    static int seal(Page page, long block, long generation) {
        byte[] data = page.data;
        SHORT.set(data, 0, (short) FORMAT_VERSION);
        data[2] = (byte) page.level;
        data[3] = 0;
        SHORT.set(data, 4, (short) page.count);
        SHORT.set(data, 6, (short) (data.length / BlockDevice.BLOCK_BYTES));
        LONG.set(data, 8, block);
        LONG.set(data, 16, generation);
        INT.set(data, 24, page.heap);
        INT.set(data, 28, 0);
        int end = data.length - CHECKSUM_BYTES;
        int checksum = checksum(data, end);
        INT.set(data, end, checksum);
        return checksum;
    }

    private static int checksum(byte[] data, int length) {
        CRC32C crc = new CRC32C();
        crc.update(data, 0, length);
        return (int) crc.getValue();
    }

    /** What is wrong with the bytes read from where {@code ref} says, or null. */
    static @Nullable String defect(byte[] data, PageRef ref) {
        int end = data.length - CHECKSUM_BYTES;
        int found = checksum(data, end);
        int own = (int) INT.get(data, end);
        if (found != own || found != ref.checksum) {
            return String.format("checksum expected=%08x stored=%08x found=%08x", ref.checksum, own, found);
        }
        if ((short) SHORT.get(data, 0) != FORMAT_VERSION) {
            return "format version=" + (short) SHORT.get(data, 0) + " known=" + FORMAT_VERSION;
        }
        if (data[2] != ref.level || (long) LONG.get(data, 8) != ref.block || (short) SHORT.get(data, 6) != ref.blocks) {
            return "level=" + data[2] + " expected=" + ref.level + " block=" + (long) LONG.get(data, 8) + " expected="
                    + ref.block + " blocks=" + (short) SHORT.get(data, 6) + " expected=" + ref.blocks;
        }
        return cellDefect(data, ref.level);
    }

    /** Whether every slot and cell lies within the page. */
    private static @Nullable String cellDefect(byte[] data, int level) {
        int count = Short.toUnsignedInt((short) SHORT.get(data, 4));
        int slotsEnd = HEADER_BYTES + count * SLOT_BYTES;
        int heap = (int) INT.get(data, 24);
        int end = data.length - CHECKSUM_BYTES;
        int cellBytes = level == 0 ? LEAF_CELL_BYTES : INNER_CELL_BYTES;
        if (heap < slotsEnd || heap > end) {
            return "cells=" + count + " lowest cell=" + heap;
        }
        for (int slot = HEADER_BYTES; slot < slotsEnd; slot += SLOT_BYTES) {
            int cell = Short.toUnsignedInt((short) SHORT.get(data, slot));
            if (cell < heap || cell + cellBytes > end || cell + Page.cellBytes(data, cell, level) > end) {
                return "cell at " + cell + " of slot at " + slot;
            }
        }
        return null;
    }
}
