package org.ustore.ceph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

final class TransactionDecoderTest {
    private static final long SEED = Long.getLong("ustore.seed", 20_251_130L);

    private static final CollectionId PG = CollectionId.pg(3, 5);
    private static final CollectionId CHILD = CollectionId.pg(3, 13);
    private static final ObjectId A = ObjectId.head(3, 5, ByteString.of("a"));
    private static final ObjectId B = ObjectId.head(3, 5, ByteString.of("b"));

    private static final Set<WireOp> REFUSED = EnumSet.of(
            WireOp.COLL_MOVE,
            WireOp.COLL_ADD,
            WireOp.COLL_REMOVE,
            WireOp.COLL_SETATTR,
            WireOp.COLL_RMATTR,
            WireOp.COLL_SETATTRS,
            WireOp.COLL_RENAME,
            WireOp.SPLIT_COLLECTION);

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static ByteString bytes(String text) {
        return ByteString.of(text);
    }

    private static Map<ByteString, ByteString> map(String... keysAndValues) {
        Map<ByteString, ByteString> map = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(bytes(keysAndValues[i]), bytes(keysAndValues[i + 1]));
        }
        return map;
    }

    private static Transaction decode(TransactionEncoder encoder) {
        return decode(encoder.ops(), encoder.data(), encoder, 1, new Random(0));
    }

    private static Transaction decode(byte[] ops, byte[] data, TransactionEncoder tables, int pieces, Random random) {
        try (Arena arena = Arena.ofConfined()) {
            Transaction decoded = TransactionDecoder.decode(
                    TransactionEncoder.nativeCopy(arena, ops, 0, ops.length),
                    TransactionEncoder.fragments(arena, data, pieces, random),
                    tables.collections(),
                    tables.objects());
            return detached(decoded);
        }
    }

    /** The same with the payloads copied, since the memory goes away. */
    private static Transaction detached(Transaction transaction) {
        Transaction copy = new Transaction();
        for (Operation operation : transaction.operations()) {
            copy.add(
                    operation instanceof Operation.Write w
                            ? new Operation.Write(
                                    w.collection(),
                                    w.object(),
                                    w.offset(),
                                    Payload.of(w.data().toByteArray()))
                            : operation);
        }
        return copy;
    }

    private static void assertSame(List<Operation> actual, List<Operation> expected) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            if (expected.get(i) instanceof Operation.Write e && actual.get(i) instanceof Operation.Write a) {
                assertThat(a.collection()).isEqualTo(e.collection());
                assertThat(a.object()).isEqualTo(e.object());
                assertThat(a.offset()).isEqualTo(e.offset());
                assertThat(a.data().toByteArray()).isEqualTo(e.data().toByteArray());
            } else {
                assertThat(actual.get(i)).isEqualTo(expected.get(i));
            }
        }
    }

    private static TransactionEncoder one(WireOp op) {
        return new TransactionEncoder().op(op).cid(PG).oid(A);
    }

    /** An encoded operation and what it must decode to, null for nothing. */
    record Case(
            WireOp op, TransactionEncoder encoder, @Nullable Operation expected) {
        @Override
        public String toString() {
            return op.name();
        }
    }

    private static final long BIG = 0x1_2345_6789L;

    static List<Case> everyOperation() {
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(WireOp.NOP, one(WireOp.NOP), null));
        cases.add(new Case(WireOp.CREATE, one(WireOp.CREATE), new Operation.Touch(PG, A)));
        cases.add(new Case(WireOp.TOUCH, one(WireOp.TOUCH), new Operation.Touch(PG, A)));
        cases.add(new Case(
                WireOp.WRITE,
                one(WireOp.WRITE)
                        .u64(WireFormat.OFFSET, BIG)
                        .u64(WireFormat.LENGTH, 5)
                        .buffer(text("hello")),
                new Operation.Write(PG, A, BIG, Payload.of(text("hello")))));
        cases.add(new Case(
                WireOp.ZERO,
                one(WireOp.ZERO).u64(WireFormat.OFFSET, BIG).u64(WireFormat.LENGTH, BIG + 1),
                new Operation.Zero(PG, A, BIG, BIG + 1)));
        cases.add(new Case(
                WireOp.TRUNCATE, one(WireOp.TRUNCATE).u64(WireFormat.OFFSET, BIG), new Operation.Truncate(PG, A, BIG)));
        cases.add(new Case(WireOp.REMOVE, one(WireOp.REMOVE), new Operation.Remove(PG, A)));
        cases.addAll(attributeCases());
        cases.addAll(omapCases());
        cases.addAll(twoObjectCases());
        cases.add(new Case(WireOp.TRIMCACHE, one(WireOp.TRIMCACHE).u64(WireFormat.LENGTH, 5), null));
        cases.add(new Case(
                WireOp.SETALLOCHINT,
                one(WireOp.SETALLOCHINT)
                        .u64(WireFormat.EXPECTED_OBJECT_SIZE, 4 << 20)
                        .u64(WireFormat.EXPECTED_WRITE_SIZE, 1 << 20)
                        .u32(WireFormat.HINT, 9),
                new Operation.SetAllocationHint(PG, A, 4 << 20, 1 << 20, 9)));
        cases.addAll(collectionCases());
        return cases;
    }

    private static List<Case> attributeCases() {
        return List.of(
                new Case(
                        WireOp.SETATTR,
                        one(WireOp.SETATTR).string(bytes("_")).string(bytes("value")),
                        new Operation.SetAttributes(PG, A, map("_", "value"))),
                new Case(
                        WireOp.SETATTRS,
                        one(WireOp.SETATTRS).map(map("_", "value", "snapset", "")),
                        new Operation.SetAttributes(PG, A, map("_", "value", "snapset", ""))),
                new Case(
                        WireOp.RMATTR,
                        one(WireOp.RMATTR).string(bytes("_")),
                        new Operation.RemoveAttribute(PG, A, bytes("_"))),
                new Case(WireOp.RMATTRS, one(WireOp.RMATTRS), new Operation.RemoveAllAttributes(PG, A)));
    }

    private static List<Case> omapCases() {
        return List.of(
                new Case(WireOp.OMAP_CLEAR, one(WireOp.OMAP_CLEAR), new Operation.OmapClear(PG, A)),
                new Case(
                        WireOp.OMAP_SETKEYS,
                        one(WireOp.OMAP_SETKEYS).map(map("", "v", "k1", "", "k2", "v2")),
                        new Operation.OmapSetKeys(PG, A, map("", "v", "k1", "", "k2", "v2"))),
                new Case(
                        WireOp.OMAP_RMKEYS,
                        one(WireOp.OMAP_RMKEYS).number(2).string(bytes("k1")).string(bytes("k2")),
                        new Operation.OmapRemoveKeys(PG, A, Set.of(bytes("k1"), bytes("k2")))),
                new Case(
                        WireOp.OMAP_SETHEADER,
                        one(WireOp.OMAP_SETHEADER).string(bytes("header")),
                        new Operation.OmapSetHeader(PG, A, bytes("header"))),
                new Case(
                        WireOp.OMAP_RMKEYRANGE,
                        one(WireOp.OMAP_RMKEYRANGE).string(bytes("first")).string(bytes("last")),
                        new Operation.OmapRemoveKeyRange(PG, A, bytes("first"), bytes("last"))));
    }

    private static List<Case> twoObjectCases() {
        return List.of(
                new Case(WireOp.CLONE, one(WireOp.CLONE).destOid(B), new Operation.Clone(PG, A, B)),
                new Case(
                        WireOp.CLONERANGE,
                        one(WireOp.CLONERANGE)
                                .destOid(B)
                                .u64(WireFormat.OFFSET, BIG)
                                .u64(WireFormat.LENGTH, 7),
                        new Operation.CloneRange(PG, A, B, BIG, 7, BIG)),
                new Case(
                        WireOp.CLONERANGE2,
                        one(WireOp.CLONERANGE2)
                                .destOid(B)
                                .u64(WireFormat.OFFSET, 6)
                                .u64(WireFormat.LENGTH, 7)
                                .u64(WireFormat.DEST_OFFSET, BIG),
                        new Operation.CloneRange(PG, A, B, 6, 7, BIG)),
                new Case(
                        WireOp.COLL_MOVE_RENAME,
                        one(WireOp.COLL_MOVE_RENAME).destCid(CHILD).destOid(B),
                        new Operation.Rename(PG, A, CHILD, B)),
                new Case(WireOp.TRY_RENAME, one(WireOp.TRY_RENAME).destOid(B), new Operation.Rename(PG, A, PG, B)));
    }

    private static List<Case> collectionCases() {
        return List.of(
                new Case(
                        WireOp.MKCOLL,
                        new TransactionEncoder().op(WireOp.MKCOLL).cid(PG).u32(WireFormat.BITS, 32),
                        new Operation.MakeCollection(PG, 32)),
                new Case(
                        WireOp.RMCOLL,
                        new TransactionEncoder().op(WireOp.RMCOLL).cid(PG),
                        new Operation.RemoveCollection(PG)),
                new Case(
                        WireOp.COLL_SET_BITS,
                        new TransactionEncoder()
                                .op(WireOp.COLL_SET_BITS)
                                .cid(PG)
                                .u32(WireFormat.BITS, 3),
                        new Operation.SetCollectionBits(PG, 3)),
                new Case(
                        WireOp.SPLIT_COLLECTION2,
                        new TransactionEncoder()
                                .op(WireOp.SPLIT_COLLECTION2)
                                .cid(PG)
                                .destCid(CHILD)
                                .u32(WireFormat.BITS, 4)
                                .u32(WireFormat.REMAINDER, 13),
                        new Operation.SplitCollection(PG, CHILD, 4, 13)),
                new Case(
                        WireOp.MERGE_COLLECTION,
                        new TransactionEncoder()
                                .op(WireOp.MERGE_COLLECTION)
                                .cid(CHILD)
                                .destCid(PG)
                                .u32(WireFormat.BITS, 3),
                        new Operation.MergeCollection(CHILD, PG, 3)),
                new Case(
                        WireOp.COLL_HINT,
                        new TransactionEncoder()
                                .op(WireOp.COLL_HINT)
                                .cid(PG)
                                .u32(WireFormat.HINT, 1)
                                .buffer(new byte[12]),
                        null));
    }

    @ParameterizedTest
    @MethodSource("everyOperation")
    void decodesEveryOperation(Case one) {
        List<Operation> expected = one.expected() == null ? List.of() : List.of(one.expected());
        assertSame(decode(one.encoder()).operations(), expected);
        byte[] data = one.encoder().data();
        Random random = new Random(SEED);
        for (int pieces = 2; pieces < 12; pieces++) {
            assertSame(
                    decode(one.encoder().ops(), data, one.encoder(), pieces, random)
                            .operations(),
                    expected);
        }
    }

    @Test
    void noOperationIsLeftOut() {
        Set<WireOp> covered = EnumSet.copyOf(REFUSED);
        everyOperation().forEach(one -> covered.add(one.op()));
        assertThat(covered).containsExactlyInAnyOrder(WireOp.values());
    }

    @ParameterizedTest
    @EnumSource
    void refusesLegacyOperationsByName(WireOp op) {
        if (!REFUSED.contains(op)) {
            return;
        }
        TransactionEncoder encoder = one(WireOp.TOUCH).op(op).cid(PG).oid(A);
        assertThatThrownBy(() -> decode(encoder))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EOPNOTSUPP))
                .hasMessageContainingAll("op=1", op.name(), Integer.toString(op.code()));
    }

    @Test
    void anEmptyTransactionIsEmpty() {
        assertThat(decode(new TransactionEncoder()).operations()).isEmpty();
        assertThat(TransactionDecoder.decode(
                                MemorySegment.ofArray(new byte[0]),
                                new MemorySegment[0],
                                new CollectionId[0],
                                new ObjectId[0])
                        .operations())
                .isEmpty();
    }

    @Test
    @DisplayName("the data of a write is a view of the memory it came in, one piece per segment")
    void writesAreViews() {
        byte[] payload = text("0123456789");
        TransactionEncoder encoder = one(WireOp.WRITE)
                .u64(WireFormat.LENGTH, 10)
                .buffer(payload)
                .op(WireOp.TOUCH)
                .cid(PG)
                .oid(A);
        try (Arena arena = Arena.ofConfined()) {
            byte[] data = encoder.data();
            MemorySegment[] pieces = {
                arena.allocate(2), arena.allocate(5), arena.allocate(0), arena.allocate(4), arena.allocate(3)
            };
            int at = 0;
            for (MemorySegment piece : pieces) {
                MemorySegment.copy(data, at, piece, ValueLayout.JAVA_BYTE, 0, (int) piece.byteSize());
                at += (int) piece.byteSize();
            }
            Transaction decoded = TransactionDecoder.decode(
                    MemorySegment.ofArray(encoder.ops()), pieces, encoder.collections(), encoder.objects());
            Payload view = ((Operation.Write) decoded.operations().getFirst()).data();
            assertThat(view.toByteArray()).isEqualTo(payload);
            assertThat(view.segments()).hasSize(3);
            pieces[4].set(ValueLayout.JAVA_BYTE, 2, (byte) 'X');
            assertThat(view.toByteArray()).isEqualTo(text("012345678X"));
        }
    }

    @Test
    @DisplayName("names and values are copies")
    void namesAreCopies() {
        TransactionEncoder encoder = one(WireOp.OMAP_SETKEYS).map(map("k", "v"));
        byte[] data = encoder.data();
        Transaction decoded = TransactionDecoder.decode(
                MemorySegment.ofArray(encoder.ops()),
                new MemorySegment[] {MemorySegment.ofArray(data)},
                encoder.collections(),
                encoder.objects());
        Arrays.fill(data, (byte) 'z');
        assertThat(decoded.operations()).containsExactly(new Operation.OmapSetKeys(PG, A, map("k", "v")));
    }

    @Test
    @DisplayName("a key that comes twice has the last value")
    void repeatedKeys() {
        TransactionEncoder encoder = one(WireOp.OMAP_SETKEYS)
                .number(2)
                .string(bytes("k"))
                .string(bytes("old"))
                .string(bytes("k"))
                .string(bytes("new"));
        assertThat(decode(encoder).operations()).containsExactly(new Operation.OmapSetKeys(PG, A, map("k", "new")));
    }

    @Test
    void randomTransactionsSurviveTheRoundTrip() {
        Random random = new Random(SEED);
        for (int round = 0; round < 300; round++) {
            List<Operation> operations = randomOperations(random);
            TransactionEncoder encoder = new TransactionEncoder();
            operations.forEach(encoder::add);
            int pieces = 1 + random.nextInt(40);
            assertSame(
                    decode(encoder.ops(), encoder.data(), encoder, pieces, random)
                            .operations(),
                    operations);
        }
    }

    // --- malformed input -------------------------------------------------------------------------------------------

    private static void assertRefused(TransactionEncoder encoder, String... facts) {
        assertThatThrownBy(() -> decode(encoder))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContainingAll(facts);
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "4", "5", "6", "27", "44", "45", "10000", "-1", "-2147483648"})
    void refusesUnknownOperations(int code) {
        assertRefused(one(WireOp.TOUCH).op(code), "op=1", "unknown", "got=" + Integer.toUnsignedString(code), "limit=");
    }

    @Test
    void refusesIndicesOutsideTheTables() {
        for (int index : new int[] {1, 5, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            String got = "got=" + Integer.toUnsignedString(index);
            assertRefused(
                    one(WireOp.TOUCH).u32(WireFormat.COLLECTION, index), "op=0", "TOUCH", "field=collection", got);
            assertRefused(
                    one(WireOp.TOUCH).u32(WireFormat.OBJECT, index),
                    "TOUCH",
                    "field=object",
                    got,
                    "limit=a table of 1");
            assertRefused(
                    one(WireOp.CLONE).u32(WireFormat.DEST_OBJECT, index), "CLONE", "field=destination object", got);
            assertRefused(
                    one(WireOp.MERGE_COLLECTION).u32(WireFormat.DEST_COLLECTION, index),
                    "MERGE_COLLECTION",
                    "field=destination collection",
                    got);
        }
    }

    @Test
    void refusesIndicesThatNameNothing() {
        TransactionEncoder encoder = one(WireOp.TOUCH);
        MemorySegment ops = MemorySegment.ofArray(encoder.ops());
        MemorySegment[] none = {};
        assertThatThrownBy(() ->
                        TransactionDecoder.decode(ops, none, new @Nullable CollectionId[] {null}, encoder.objects()))
                .hasMessageContaining("field=collection");
        assertThatThrownBy(() ->
                        TransactionDecoder.decode(ops, none, encoder.collections(), new @Nullable ObjectId[] {null}))
                .hasMessageContaining("field=object");
    }

    @Test
    void refusesNumbersThatAreNoSizes() {
        assertRefused(one(WireOp.ZERO).u64(WireFormat.OFFSET, -1), "ZERO", "field=offset", "got=18446744073709551615");
        assertRefused(one(WireOp.ZERO).u64(WireFormat.LENGTH, Long.MIN_VALUE), "ZERO", "field=length");
        assertRefused(one(WireOp.TRUNCATE).u64(WireFormat.OFFSET, -5), "TRUNCATE", "field=offset");
        assertRefused(
                one(WireOp.CLONERANGE2).destOid(B).u64(WireFormat.DEST_OFFSET, -5),
                "CLONERANGE2",
                "destination offset");
        assertRefused(one(WireOp.MKCOLL).u32(WireFormat.BITS, 33), "MKCOLL", "field=bits", "got=33", "limit=0 to 32");
        assertRefused(one(WireOp.COLL_SET_BITS).u32(WireFormat.BITS, -1), "field=bits", "got=4294967295");
    }

    @Test
    void refusesAWriteWhoseDataHasAnotherLength() {
        for (int length : new int[] {0, 4, 6, 1 << 30}) {
            assertRefused(
                    one(WireOp.WRITE).u64(WireFormat.LENGTH, length).buffer(text("hello")),
                    "WRITE",
                    "field=data length",
                    "got=5",
                    "length " + length);
        }
    }

    @Test
    void refusesTruncatedData() {
        for (Case one : everyOperation()) {
            byte[] data = one.encoder().data();
            for (int length = 0; length < data.length; length++) {
                byte[] cut = Arrays.copyOf(data, length);
                assertThatThrownBy(() -> decode(one.encoder().ops(), cut, one.encoder(), 3, new Random(SEED)))
                        .as("%s cut to %d of %d bytes", one.op(), length, data.length)
                        .isInstanceOfSatisfying(
                                ObjectStoreException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                        .hasMessageContainingAll("op=0", one.op().name());
            }
        }
    }

    @Test
    void refusesLeftOverData() {
        for (Case one : everyOperation()) {
            byte[] data = one.encoder().data();
            byte[] longer = Arrays.copyOf(data, data.length + 3);
            assertThatThrownBy(() -> decode(one.encoder().ops(), longer, one.encoder(), 2, new Random(SEED)))
                    .as("%s", one.op())
                    .isInstanceOf(ObjectStoreException.class)
                    .hasMessageContaining("3 bytes of data left over");
        }
    }

    @Test
    void refusesOperationsThatEndMidway() {
        TransactionEncoder encoder = one(WireOp.TOUCH).op(WireOp.NOP);
        byte[] ops = encoder.ops();
        for (int length : new int[] {1, 71, 73, 143}) {
            byte[] cut = Arrays.copyOf(ops, length);
            assertThatThrownBy(() -> decode(cut, encoder.data(), encoder, 1, new Random(SEED)))
                    .isInstanceOf(ObjectStoreException.class)
                    .hasMessageContainingAll("take " + length + " bytes", "72");
        }
    }

    @Test
    @DisplayName("corrupt counts and lengths are refused without memory for them")
    void corruptCountsAllocateNothing() {
        List<TransactionEncoder> corrupt = new ArrayList<>();
        for (int count : new int[] {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 200, 3}) {
            corrupt.add(
                    one(WireOp.OMAP_SETKEYS).number(count).string(bytes("key")).string(bytes("v")));
            corrupt.add(one(WireOp.SETATTRS).number(count).string(bytes("key")).string(bytes("v")));
            corrupt.add(one(WireOp.OMAP_RMKEYS).number(count).string(bytes("key")));
            corrupt.add(one(WireOp.OMAP_SETHEADER).number(count).raw((byte) 1));
            corrupt.add(one(WireOp.RMATTR).number(count).raw((byte) 1));
            corrupt.add(one(WireOp.COLL_HINT).number(count).raw((byte) 1));
            corrupt.add(one(WireOp.WRITE)
                    .u64(WireFormat.LENGTH, count & 0xffff_ffffL)
                    .number(count)
                    .raw((byte) 1));
        }
        corrupt.forEach(encoder -> assertRefused(encoder, "op=0", "field="));
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (TransactionEncoder encoder : corrupt) {
            MemorySegment ops = MemorySegment.ofArray(encoder.ops());
            MemorySegment[] data = {MemorySegment.ofArray(encoder.data())};
            try {
                TransactionDecoder.decode(ops, data, encoder.collections(), encoder.objects());
            } catch (ObjectStoreException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.EINVAL);
            }
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(8L << 20);
    }

    @Test
    @DisplayName("flipped bits, cut and swapped bytes are refused or decode, never anything else")
    void fuzz() {
        Random random = new Random(SEED);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            TransactionEncoder encoder = new TransactionEncoder();
            randomOperations(random).forEach(encoder::add);
            byte[] ops = damaged(encoder.ops(), random);
            byte[] data = damaged(encoder.data(), random);
            try {
                decode(ops, data, encoder, 1 + random.nextInt(8), random);
            } catch (ObjectStoreException e) {
                assertThat(e.code()).isIn(ErrorCode.EINVAL, ErrorCode.EOPNOTSUPP);
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("fuzz failed: round=" + round + " repeat with -Dustore.seed=" + SEED, e);
            }
        }
        assertThat(refused).as("damaged transactions that were refused").isGreaterThan(5000);
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        switch (random.nextInt(5)) {
            case 0 -> damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length + 1));
            case 1 -> damaged = Arrays.copyOf(damaged, damaged.length + random.nextInt(100));
            case 2 -> {
                for (int i = random.nextInt(4); i >= 0 && damaged.length > 0; i--) {
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 3 -> {
                for (int i = random.nextInt(3); i >= 0 && damaged.length >= 4; i--) {
                    int at = random.nextInt(damaged.length - 3);
                    Arrays.fill(damaged, at, at + 4, (byte) (random.nextBoolean() ? 0xff : 0x7f));
                }
            }
            default -> {}
        }
        return damaged;
    }

    private static List<Operation> randomOperations(Random random) {
        List<Operation> operations = new ArrayList<>();
        for (int i = random.nextInt(8); i >= 0; i--) {
            operations.add(randomOperation(random));
        }
        return operations;
    }

    private static Operation randomOperation(Random random) {
        CollectionId c = random.nextBoolean() ? PG : CHILD;
        ObjectId o = randomObject(random);
        return switch (random.nextInt(20)) {
            case 0 -> new Operation.Touch(c, o);
            case 1 -> new Operation.Zero(c, o, random.nextLong(1L << 33), random.nextLong(1L << 33));
            case 2 -> new Operation.Truncate(c, o, random.nextLong(1L << 33));
            case 3 -> new Operation.Remove(c, o);
            case 4 -> new Operation.SetAttributes(c, o, randomMap(random));
            case 5 -> new Operation.RemoveAttribute(c, o, randomString(random));
            case 6 -> new Operation.RemoveAllAttributes(c, o);
            case 7 -> new Operation.Clone(c, o, randomObject(random));
            case 8 -> new Operation.CloneRange(c, o, randomObject(random), 1, random.nextInt(1 << 20), 3);
            case 9 -> new Operation.Rename(c, o, PG, randomObject(random));
            case 10 -> new Operation.OmapClear(c, o);
            case 11 -> new Operation.OmapSetKeys(c, o, randomMap(random));
            case 12 ->
                new Operation.OmapRemoveKeys(
                        c, o, new TreeSet<>(randomMap(random).keySet()));
            case 13 -> new Operation.OmapRemoveKeyRange(c, o, randomString(random), randomString(random));
            case 14 -> new Operation.OmapSetHeader(c, o, randomString(random));
            case 15 -> new Operation.MakeCollection(c, random.nextInt(33));
            case 16 -> new Operation.SplitCollection(c, CHILD, random.nextInt(33), random.nextInt());
            case 17 -> new Operation.MergeCollection(c, PG, random.nextInt(33));
            default -> {
                byte[] data = new byte[random.nextInt(300)];
                random.nextBytes(data);
                yield new Operation.Write(c, o, random.nextLong(1L << 33), Payload.of(data));
            }
        };
    }

    private static ObjectId randomObject(Random random) {
        return ObjectId.head(3, 5, bytes("object" + random.nextInt(5)));
    }

    private static Map<ByteString, ByteString> randomMap(Random random) {
        Map<ByteString, ByteString> map = new TreeMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            map.put(randomString(random), randomString(random));
        }
        return map;
    }

    private static ByteString randomString(Random random) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        return ByteString.wrap(bytes);
    }
}
