package org.ustore.ceph;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.ustore.objectstore.Transaction;

/**
 * A transaction as the shim's record mode keeps it ({@code record.h}); little endian.
 *
 * <pre>
 *   0       4           8            12            16        20                       24
 *  | magic | ops bytes | data bytes | collections | objects | bytes of object table | ops | data | tables |
 *  | u32   | u32       | u32        | u32         | u32     | u32                   |
 * </pre>
 */
final class RecordedTransaction {
    private static final int MAGIC = 0x58545355;
    private static final int HEADER_BYTES = 24;
    private static final int COLLECTION_ENTRY_BYTES = 8 + NeutralForm.COLLECTION_BYTES;

    private final byte[] ops;
    private final byte[] data;
    private final byte[] collections;
    private final int objectCount;
    private final byte[] objects;

    private RecordedTransaction(byte[] ops, byte[] data, byte[] collections, int objectCount, byte[] objects) {
        this.ops = ops;
        this.data = data;
        this.collections = collections;
        this.objectCount = objectCount;
        this.objects = objects;
    }

    /** Reads a recording; an unfinished transaction at its end is left out. */
    static List<RecordedTransaction> readAll(byte[] recording) {
        ByteBuffer in = ByteBuffer.wrap(recording).order(ByteOrder.LITTLE_ENDIAN);
        List<RecordedTransaction> all = new ArrayList<>();
        while (in.remaining() >= HEADER_BYTES) {
            int magic = in.getInt();
            if (magic != MAGIC) {
                throw new IllegalArgumentException(String.format(
                        "no transaction at byte %d: magic %08x, expected %08x", in.position() - 4, magic, MAGIC));
            }
            int ops = in.getInt();
            int data = in.getInt();
            int collections = in.getInt() * COLLECTION_ENTRY_BYTES;
            int objectCount = in.getInt();
            int objects = in.getInt();
            if (in.remaining() < (long) ops + data + collections + objects) {
                break;
            }
            all.add(new RecordedTransaction(
                    take(in, ops), take(in, data), take(in, collections), objectCount, take(in, objects)));
        }
        return all;
    }

    private static byte[] take(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    byte[] encode() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(MAGIC)
                .putInt(ops.length)
                .putInt(data.length)
                .putInt(collections.length / COLLECTION_ENTRY_BYTES)
                .putInt(objectCount)
                .putInt(objects.length);
        out.writeBytes(header.array());
        out.writeBytes(ops);
        out.writeBytes(data);
        out.writeBytes(collections);
        out.writeBytes(objects);
        return out.toByteArray();
    }

    /** The numbers of its operations. */
    Set<Integer> codes() {
        ByteBuffer in = ByteBuffer.wrap(ops).order(ByteOrder.LITTLE_ENDIAN);
        Set<Integer> codes = new TreeSet<>();
        for (int at = 0; at < ops.length; at += WireFormat.OP_BYTES) {
            codes.add(in.getInt(at + WireFormat.OP));
        }
        return codes;
    }

    /** Decodes it from native memory described as the shim does, its data cut in up to {@code pieces} pieces. */
    Transaction decode(Arena arena, int pieces, Random random) {
        MemorySegment[] cut = TransactionEncoder.fragments(arena, data, pieces, random);
        MemorySegment table = arena.allocate(16L * cut.length, 8);
        for (int i = 0; i < cut.length; i++) {
            table.set(ValueLayout.JAVA_LONG, 16L * i, cut[i].address());
            table.set(ValueLayout.JAVA_LONG, 16L * i + 8, cut[i].byteSize());
        }
        long[] fields = {
            copy(arena, ops),
            ops.length,
            ops.length / WireFormat.OP_BYTES,
            table.address(),
            cut.length,
            copy(arena, collections),
            collections.length / COLLECTION_ENTRY_BYTES,
            copy(arena, objects),
            objectCount,
            objects.length
        };
        return TransactionView.decode(
                arena.allocateFrom(ValueLayout.JAVA_LONG, fields).address());
    }

    private static long copy(Arena arena, byte[] bytes) {
        MemorySegment segment = arena.allocate(bytes.length, 8);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment.address();
    }
}
