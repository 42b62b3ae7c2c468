package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.assertCode;
import static org.ustore.objectstore.testkit.StoreUnderTest.await;
import static org.ustore.objectstore.testkit.StoreUnderTest.concat;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;
import static org.ustore.objectstore.testkit.StoreUnderTest.slice;
import static org.ustore.objectstore.testkit.StoreUnderTest.zeros;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

/** Reading, writing, zeroing, truncating. */
interface DataContract extends StoreUnderTest {

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static ObjectId o() {
        return object("o");
    }

    private Transaction write(long offset, byte[] data) {
        return new Transaction().write(PG, o(), offset, data);
    }

    @Test
    @DisplayName("C1.missing-object: exists is false, every read is ENOENT, the iterator null")
    default void missingObject() {
        ObjectId missing = object("missing");
        assertThat(pg().exists(missing)).isFalse();
        assertCode(ErrorCode.ENOENT, () -> pg().stat(missing));
        assertCode(ErrorCode.ENOENT, () -> pg().read(missing, 0, 10));
        assertCode(ErrorCode.ENOENT, () -> pg().read(missing, 0, 0));
        assertCode(ErrorCode.ENOENT, () -> pg().read(missing, List.of(new Extent(0, 1)), MemorySegmentSink::array));
        assertCode(ErrorCode.ENOENT, () -> pg().attribute(missing, StoreUnderTest.bytes("a")));
        assertCode(ErrorCode.ENOENT, () -> pg().attributes(missing));
        assertCode(ErrorCode.ENOENT, () -> pg().omap(missing));
        assertCode(ErrorCode.ENOENT, () -> pg().omapHeader(missing));
        assertCode(ErrorCode.ENOENT, () -> pg().omapKeys(missing));
        assertCode(ErrorCode.ENOENT, () -> pg().omapValues(missing, java.util.Set.of(StoreUnderTest.bytes("k"))));
        assertCode(ErrorCode.ENOENT, () -> pg().omapExistingKeys(missing, java.util.Set.of(StoreUnderTest.bytes("k"))));
        assertThat(pg().omapIterator(missing)).isNull();
    }

    @Test
    @DisplayName("C1.fiemap-missing: fiemap of a missing object is ENOENT")
    default void fiemapOfMissing() {
        assertCode(ErrorCode.ENOENT, () -> pg().fiemap(object("missing"), 0, 100));
    }

    @Test
    @DisplayName("C1.read-ranges: short reads at the end, nothing past it, 0~0 reads all")
    default void readRanges() {
        apply(write(0, text("0123456789")));
        assertThat(pg().read(o(), 0, 0)).isEqualTo(text("0123456789"));
        for (int offset : new int[] {5, 10, 20}) {
            assertThat(pg().read(o(), offset, 0)).as("%d~0", offset).isEmpty();
        }
        assertThat(pg().read(o(), 5, 100)).isEqualTo(text("56789"));
        assertThat(pg().read(o(), 9, 1)).isEqualTo(text("9"));
        assertThat(pg().read(o(), 10, 5)).isEmpty();
        assertThat(pg().read(o(), 20, 5)).isEmpty();
        assertThat(pg().read(o(), Long.MAX_VALUE, 5)).isEmpty();
        assertThat(pg().read(o(), 3, Long.MAX_VALUE)).isEqualTo(text("3456789"));
    }

    @Test
    @DisplayName("API.read-allocates-once: the allocator is asked once, for exactly the bytes returned")
    default void readAllocatesOnce() {
        apply(write(0, text("0123456789")));
        for (long[] range : new long[][] {{0, 0, 10}, {5, 100, 5}, {20, 5, 0}, {2, 3, 3}}) {
            List<Long> asked = new ArrayList<>();
            long read = pg().read(o(), range[0], range[1], bytes -> {
                asked.add(bytes);
                return MemorySegmentSink.array(bytes);
            });
            assertThat(read).isEqualTo(range[2]);
            assertThat(asked).containsExactly(range[2]);
        }
    }

    @Test
    @DisplayName("API.read-native: reads fill native memory, dirty before, holes with zeros")
    default void readIntoDirtyNativeMemory() {
        apply(write(0, pattern(1, 5000)).truncate(PG, o(), 20_000).write(PG, o(), 15_001, pattern(2, 100)));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(20_000, 4096).fill((byte) 0x55);
            assertThat(pg().read(o(), 0, 20_000, bytes -> target.asSlice(0, bytes)))
                    .isEqualTo(20_000);
            assertThat(target.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                    .isEqualTo(concat(pattern(1, 5000), zeros(10_001), pattern(2, 100), zeros(4899)));
        }
    }

    @Test
    @DisplayName("C1.readv: several ranges, concatenated")
    default void readv() {
        apply(write(0, text("0123456789")));
        assertThat(MemorySegmentSink.read(pg(), o(), new Extent(0, 2), new Extent(5, 5)))
                .isEqualTo(text("0156789"));
        assertThat(MemorySegmentSink.read(pg(), o())).isEmpty();
    }

    @Test
    @DisplayName("C1.readv-past-end: ranges are clipped to the object's end")
    default void readvPastEnd() {
        apply(write(0, text("0123456789")));
        assertThat(MemorySegmentSink.read(pg(), o(), new Extent(1, 1), new Extent(8, 50), new Extent(100, 3)))
                .isEqualTo(text("189"));
    }

    @Test
    @DisplayName("C1.stat: size in bytes, blocks of 4096 rounded up")
    default void stat() {
        apply(write(0, pattern(1, 4097)));
        assertThat(size(o())).isEqualTo(4097);
        assertThat(pg().stat(o()).blocks()).isEqualTo(2);
    }

    @Test
    @DisplayName("C1.visible-at-once: a queued write is seen by every read")
    default void visibleAtOnce() {
        for (int i = 0; i < 200; i++) {
            apply(write(i * 100L, pattern(i, 100))
                    .setAttribute(PG, o(), StoreUnderTest.bytes("n"), StoreUnderTest.bytes("" + i)));
            assertThat(size(o())).isEqualTo((i + 1) * 100L);
            assertThat(pg().read(o(), i * 100L, 100)).isEqualTo(pattern(i, 100));
            assertThat(pg().attribute(o(), StoreUnderTest.bytes("n"))).isEqualTo(StoreUnderTest.bytes("" + i));
        }
    }

    @Test
    @DisplayName("C1.new-handle: a handle of a collection not yet made reads as empty")
    default void handleBeforeCollection() {
        Collection early = store().createNewCollection(CollectionId.pg(9, 0));
        ObjectId object = ObjectId.head(9, 1, StoreUnderTest.bytes("o"));
        assertThat(early.exists(object)).isFalse();
        assertCode(ErrorCode.ENOENT, () -> early.read(object, 0, 1));
        assertThat(early.isEmpty()).isTrue();
        assertThat(early.list(ObjectId.MIN, ObjectId.MAX, 10).objects()).isEmpty();
        assertThat(early.list(ObjectId.MIN, ObjectId.MAX, 10).next()).isEqualTo(ObjectId.MAX);
    }

    @Test
    @DisplayName("B1.small-block-writes: 4 KiB writes in any order, holes are zeros")
    default void smallBlockWrites() {
        byte[] expected = zeros(16_384);
        int[] blocks = {0, 1, 3, 2, 0};
        int end = 0;
        for (int i = 0; i < blocks.length; i++) {
            apply(write(blocks[i] * 4096L, pattern(i, 4096)));
            System.arraycopy(pattern(i, 4096), 0, expected, blocks[i] * 4096, 4096);
            end = Math.max(end, (blocks[i] + 1) * 4096);
            assertThat(pg().read(o(), 0, 16_384)).isEqualTo(slice(expected, 0, end));
        }
    }

    @Test
    @DisplayName("B1.buffer-cache-read: small writes with gaps, overwrites, several in one transaction")
    default void smallWritesWithGaps() {
        apply(new Transaction().touch(PG, o()));
        assertThat(pg().exists(o())).isTrue();
        apply(write(0, text("abcde")).write(PG, o(), 10, text("fghij")));
        assertThat(pg().read(o(), 0, 15)).isEqualTo(text("abcde\0\0\0\0\0fghij"));
        apply(write(0, text("edcba")).write(PG, o(), 10, text("jihgf")));
        apply(write(20, text("0123456789")));
        assertThat(pg().read(o(), 0, 30)).isEqualTo(text("edcba\0\0\0\0\0jihgf\0\0\0\0\0" + "0123456789"));
        apply(write(30, text("9876543210")).write(PG, o(), 1, text("XYZ")).write(PG, o(), 13, text("PQ")));
        assertThat(pg().read(o(), 0, 40)).isEqualTo(text("eXYZa\0\0\0\0\0jihPQ\0\0\0\0\0" + "01234567899876543210"));
    }

    @Test
    @DisplayName("B1.simple-object: remove and write, append, overwrite, truncate, unaligned pieces")
    default void simpleObject() {
        apply(new Transaction().touch(PG, o()));
        apply(new Transaction().remove(PG, o()).touch(PG, o()));
        assertThat(size(o())).isZero();
        apply(new Transaction().remove(PG, o()).write(PG, o(), 0, text("abcde")));
        assertThat(readAll(o())).isEqualTo(text("abcde"));
        apply(write(5, text("fghij")));
        apply(write(3, text("DEFGH")));
        assertThat(readAll(o())).isEqualTo(text("abcDEFGHij"));
        apply(new Transaction().truncate(PG, o(), 0).write(PG, o(), 5, text("fghij")));
        apply(write(0, text("abcde")));
        assertThat(pg().read(o(), 0, 10)).isEqualTo(text("abcdefghij"));
        apply(write(0, pattern(3, 100)));
        assertThat(readAll(o())).isEqualTo(pattern(3, 100));
        apply(new Transaction().truncate(PG, o(), 0).write(PG, o(), 4095, pattern(4, 4097)));
        apply(write(1, text("xy")));
        assertThat(readAll(o())).isEqualTo(concat(zeros(1), text("xy"), zeros(4092), pattern(4, 4097)));
        assertThat(pg().read(o(), 4095, 1)).isEqualTo(slice(pattern(4, 4097), 0, 1));
        assertThat(pg().read(o(), 4096, 4096)).isEqualTo(slice(pattern(4, 4097), 1, 4096));
    }

    @Test
    @DisplayName("B1.many-small-writes: sequential and random 4 KiB writes")
    default void manySmallWrites() {
        Random random = new Random(42);
        byte[] expected = zeros(1024 * 4096);
        int end = 0;
        for (int i = 0; i < 200; i++) {
            int block = i < 100 ? i : random.nextInt(1024);
            apply(write(block * 4096L, pattern(i, 4096)));
            System.arraycopy(pattern(i, 4096), 0, expected, block * 4096, 4096);
            end = Math.max(end, (block + 1) * 4096);
        }
        assertThat(readAll(o())).isEqualTo(Arrays.copyOf(expected, end));
        remount();
        assertThat(readAll(o())).isEqualTo(Arrays.copyOf(expected, end));
    }

    @Test
    @DisplayName("B1.same-block: two vectors of transactions in flight touch the same blocks")
    default void sameBlockInFlight() {
        CountDownLatch done = new CountDownLatch(2);
        byte[] expected = zeros(11_005);
        int[][] vectors = {{0, 5, 4094, 9000, 10, 7000}, {40, 45, 4094, 6000, 610, 11_000}};
        for (int v = 0; v < 2; v++) {
            List<Transaction> queued = List.of(new Transaction().onCommit(done::countDown), new Transaction());
            for (int i = 0; i < 6; i++) {
                byte[] data = pattern(v * 6 + i, 5);
                queued.get(i / 3).write(PG, o(), vectors[v][i], data);
                System.arraycopy(data, 0, expected, vectors[v][i], 5);
            }
            store().queueTransactions(pg(), queued);
        }
        await(done);
        assertThat(pg().read(o(), 0, 16_000)).isEqualTo(expected);
    }

    @Test
    @DisplayName("B1.skip-front: truncate up, write behind a hole")
    default void skipFront() {
        apply(new Transaction().touch(PG, o()).truncate(PG, o(), 3000));
        apply(write(4096, pattern(1, 4096)));
        assertThat(pg().read(o(), 0, 8192)).isEqualTo(concat(zeros(4096), pattern(1, 4096)));
    }

    @Test
    @DisplayName("B1.append-tail: unaligned appends around a remount")
    default void appendAroundRemount() {
        for (int piece : new int[] {1365, 21_845}) {
            apply(new Transaction().remove(PG, o()).write(PG, o(), 0, pattern(1, piece)));
            remount();
            apply(write(piece, pattern(2, piece)));
            apply(write(2L * piece, pattern(3, piece)));
            assertThat(readAll(o())).isEqualTo(concat(pattern(1, piece), pattern(2, piece), pattern(3, piece)));
        }
    }

    @Test
    @DisplayName("B1.cut-tail: what truncate cut off never reappears behind a clone and a gap")
    default void cutTailStaysGone() {
        int size = 16_384 * 4 - 17;
        ObjectId snap = o().withSnap(1);
        apply(write(0, pattern(1, size + 12)).truncate(PG, o(), size).clone(PG, o(), snap));
        apply(write(3L * 65_536, pattern(2, 100)));
        assertThat(readAll(o()))
                .isEqualTo(concat(slice(pattern(1, size + 12), 0, size), zeros(3 * 65_536 - size), pattern(2, 100)));
        assertThat(pg().read(snap, 0, 0)).isEqualTo(slice(pattern(1, size + 12), 0, size));
    }

    @Test
    @DisplayName("B1.sequential-unaligned: a thousand appends of 1000 bytes")
    default void sequentialUnaligned() {
        byte[] expected = pattern(5, 1_000_000);
        for (int i = 0; i < 1000; i++) {
            apply(write(i * 1000L, slice(expected, i * 1000, 1000)));
        }
        assertThat(readAll(o())).isEqualTo(expected);
    }

    @Test
    @DisplayName("B1.many-big-writes: 4 MiB writes at unaligned offsets up to 1 GiB, then zeros of 16 MiB")
    default void manyBigWrites() {
        byte[] data = pattern(6, 4 << 20);
        long[] offsets = {0, 4 * 1_048_586L, 8 * 1_048_586L, 517L << 20, (900L << 20) + 3072, (1L << 30) - 1024};
        for (long offset : offsets) {
            apply(write(offset, data));
        }
        for (long offset : offsets) {
            assertThat(pg().read(o(), offset, 4096)).isEqualTo(slice(data, 0, 4096));
        }
        // The second write cut what the first left of its last bytes.
        assertThat(pg().read(o(), (4L << 20) - 10, 10)).isEqualTo(slice(data, (4 << 20) - 10, 10));
        assertThat(pg().read(o(), 4L << 20, 40)).isEqualTo(zeros(40));
        apply(new Transaction().zero(PG, o(), 1 << 20, 16 << 20).zero(PG, o(), (1L << 30) + 1024, 16 << 20));
        assertThat(size(o())).isEqualTo((1L << 30) + 1024 + (16 << 20));
        assertThat(pg().read(o(), (1 << 20) - 5, 10)).isEqualTo(concat(slice(data, (1 << 20) - 5, 5), zeros(5)));
        assertThat(pg().read(o(), (1L << 30) + 1020, 8)).isEqualTo(concat(slice(data, 2044, 4), zeros(4)));
        assertThat(pg().read(o(), (17 << 20) - 4, 8)).isEqualTo(zeros(8));
    }

    @Test
    @DisplayName("B1.big-write-big-zero: zero over the middle, write into it")
    default void bigWriteBigZero() {
        byte[] data = pattern(7, 1 << 20);
        apply(write(0, data));
        apply(new Transaction().zero(PG, o(), 256 << 10, 512 << 10));
        apply(write(512 << 10, pattern(8, 4096)));
        byte[] expected = data.clone();
        Arrays.fill(expected, 256 << 10, 768 << 10, (byte) 0);
        System.arraycopy(pattern(8, 4096), 0, expected, 512 << 10, 4096);
        assertThat(readAll(o())).isEqualTo(expected);
    }

    @Test
    @DisplayName("B1.fragments: a hole between big writes, then an overlapping write")
    default void fragments() {
        byte[] data = pattern(9, 512 << 10);
        apply(write(0, data));
        apply(write(1 << 20, data));
        assertThat(pg().read(o(), 655_360, 1024)).isEqualTo(zeros(1024));
        apply(write((1 << 20) - 4096, data));
        assertThat(pg().read(o(), (1 << 20) - 8192, 12_288)).isEqualTo(concat(zeros(4096), slice(data, 0, 8192)));
        assertThat(pg().read(o(), (3 << 19) - 4096, 4096)).isEqualTo(slice(data, (512 << 10) - 4096, 4096));
    }

    @Test
    @DisplayName("B1.overlaps: overlapping 64 KiB-odd writes, before and after a remount")
    default void overlappingWrites() {
        byte[] expected = zeros(0x26000);
        int[][] writes = {{0xb000, 0xc000}, {0x16000, 0x10000}, {0x1b000, 0x4000}, {0xf000, 0xf000}};
        for (int i = 0; i < writes.length; i++) {
            if (i == 3) {
                remount();
            }
            apply(write(writes[i][0], pattern(i, writes[i][1])));
            System.arraycopy(pattern(i, writes[i][1]), 0, expected, writes[i][0], writes[i][1]);
        }
        assertThat(readAll(o())).isEqualTo(expected);
    }

    @Test
    @DisplayName("B1.zero-vs-size: zero inside keeps the size, past the end extends it")
    default void zeroVersusSize() {
        apply(write(0, text("abcde")));
        apply(new Transaction().zero(PG, o(), 1, 2));
        assertThat(readAll(o())).isEqualTo(text("a\0\0de"));
        apply(new Transaction().zero(PG, o(), 3, 200));
        assertThat(size(o())).isEqualTo(203);
        apply(new Transaction().zero(PG, o(), 100_000, 200));
        assertThat(size(o())).isEqualTo(100_200);
        assertThat(readAll(o())).isEqualTo(concat(text("a"), zeros(100_199)));
    }

    @Test
    @DisplayName("B1.zero-length-write: a write of nothing past the end leaves size 0")
    default void zeroLengthWrite() {
        apply(new Transaction().touch(PG, o()));
        apply(write(1 << 20, zeros(0)));
        assertThat(size(o())).isZero();
        assertThat(pg().read(o(), 0, 1 << 20)).isEmpty();
    }

    @Test
    @DisplayName("B1.zero-length-zero: a zero of nothing past the end leaves size 0")
    default void zeroLengthZero() {
        apply(new Transaction().touch(PG, o()));
        apply(new Transaction().zero(PG, o(), 1 << 20, 0));
        assertThat(size(o())).isZero();
        assertThat(pg().read(o(), 0, 1 << 20)).isEmpty();
    }

    @Test
    @DisplayName("C2.write-nothing-creates: a write of nothing creates a missing object of size 0")
    default void zeroLengthWriteCreates() {
        apply(write(4096, zeros(0)));
        assertThat(size(o())).isZero();
        apply(write(0, text("0123456789")));
        apply(write(4096, zeros(0)));
        assertThat(readAll(o())).isEqualTo(text("0123456789"));
    }

    @Test
    @DisplayName("C2.zero-nothing-creates: a zero of nothing creates a missing object of size 0")
    default void zeroLengthZeroCreates() {
        apply(new Transaction().zero(PG, o(), 4096, 0));
        assertThat(size(o())).isZero();
    }

    @Test
    @DisplayName("C2.zero-missing: zero creates a missing object up to its end")
    default void zeroCreates() {
        apply(new Transaction().zero(PG, o(), 100, 10));
        assertThat(readAll(o())).isEqualTo(zeros(110));
    }

    @Test
    @DisplayName("C2.zero-past-eof: zero past the end leaves zeros in the gap, over cut data too")
    default void zeroPastEnd() {
        apply(write(0, pattern(1, 10_000)).truncate(PG, o(), 10));
        apply(new Transaction().zero(PG, o(), 9000, 500));
        assertThat(readAll(o())).isEqualTo(concat(slice(pattern(1, 10_000), 0, 10), zeros(9490)));
    }

    @Test
    @DisplayName("C2.truncate-missing: truncate of a missing object is ignored")
    default void truncateMissing() {
        apply(new Transaction().truncate(PG, o(), 100));
        assertThat(pg().exists(o())).isFalse();
    }

    @Test
    @DisplayName("C2.truncate: down then up reads zeros, so does the gap before a later write")
    default void truncateDownAndUp() {
        byte[] data = pattern(1, 9000);
        apply(write(0, data).truncate(PG, o(), 20_000));
        assertThat(readAll(o())).isEqualTo(concat(data, zeros(11_000)));
        apply(new Transaction().truncate(PG, o(), 4000));
        apply(new Transaction().truncate(PG, o(), 8999));
        assertThat(readAll(o())).isEqualTo(concat(slice(data, 0, 4000), zeros(4999)));
        apply(new Transaction().truncate(PG, o(), 100));
        apply(write(5000, data));
        assertThat(readAll(o())).isEqualTo(concat(slice(data, 0, 100), zeros(4900), data));
        remount();
        assertThat(readAll(o())).isEqualTo(concat(slice(data, 0, 100), zeros(4900), data));
    }

    @Test
    @DisplayName("C2.touch-existing: touch keeps data and attributes")
    default void touchExisting() {
        apply(write(0, text("data")).setAttribute(PG, o(), StoreUnderTest.bytes("a"), StoreUnderTest.bytes("v")));
        apply(new Transaction().touch(PG, o()));
        assertThat(readAll(o())).isEqualTo(text("data"));
        assertThat(pg().attributes(o())).hasSize(1);
    }

    @Test
    @DisplayName("C2.remove-then-write: in one transaction gives a fresh object")
    default void removeThenWrite() {
        apply(write(0, pattern(1, 9000))
                .setAttribute(PG, o(), StoreUnderTest.bytes("a"), StoreUnderTest.bytes("v"))
                .omapSetKeys(PG, o(), StoreUnderTest.entries("k", "v"))
                .omapSetHeader(PG, o(), StoreUnderTest.bytes("h")));
        apply(new Transaction().remove(PG, o()).write(PG, o(), 4, text("new")));
        assertThat(readAll(o())).isEqualTo(text("\0\0\0\0new"));
        assertThat(pg().attributes(o())).isEmpty();
        assertThat(pg().omap(o()).entries()).isEmpty();
        assertThat(pg().omapHeader(o())).isEqualTo(org.ustore.objectstore.ByteString.EMPTY);
    }

    @Test
    @DisplayName("C2.remove-missing: removing a missing object, or one twice, is ignored")
    default void removeMissing() {
        apply(new Transaction().remove(PG, o()));
        apply(new Transaction().touch(PG, o()).remove(PG, o()).remove(PG, o()));
        assertThat(pg().exists(o())).isFalse();
    }

    @Test
    @DisplayName("C2.3-gib: offsets of 3 GiB work")
    default void threeGib() {
        long offset = 3L << 30;
        apply(write(offset, pattern(1, 5000)));
        assertThat(size(o())).isEqualTo(offset + 5000);
        assertThat(pg().read(o(), offset - 10, 5010)).isEqualTo(concat(zeros(10), pattern(1, 5000)));
        apply(new Transaction().truncate(PG, o(), org.ustore.objectstore.ObjectStore.MAX_OBJECT_BYTES - 1));
        assertThat(size(o())).isEqualTo(org.ustore.objectstore.ObjectStore.MAX_OBJECT_BYTES - 1);
        apply(new Transaction().truncate(PG, o(), 1));
        assertThat(readAll(o())).isEqualTo(zeros(1));
    }

    @Test
    @DisplayName("B1.set-alloc-hint: accepted for an existing and for a missing object, which it does not create")
    default void setAllocationHint() {
        apply(write(0, text("x")).add(new Operation.SetAllocationHint(PG, o(), 4 << 20, 1 << 20, 3)));
        apply(new Transaction().add(new Operation.SetAllocationHint(PG, object("missing"), 4 << 20, 1 << 20, 0)));
        assertThat(readAll(o())).isEqualTo(text("x"));
        assertThat(pg().exists(object("missing"))).isFalse();
    }

    @Test
    @DisplayName("API.payload-pieces: data in many pieces of native memory, gone after queueing")
    default void payloadOfPieces() {
        byte[] data = pattern(1, 300_000);
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> pieces = new ArrayList<>();
            int at = 0;
            for (int n = 1; at < data.length; n = n * 3 + 1) {
                int length = Math.min(n, data.length - at);
                MemorySegment piece = arena.allocate(length);
                MemorySegment.copy(data, at, piece, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, length);
                pieces.add(piece);
                at += length;
            }
            pieces.add(3, MemorySegment.ofArray(zeros(0)));
            apply(new Transaction().write(PG, o(), 1234, Payload.of(pieces)));
            pieces.forEach(piece -> piece.fill((byte) 0xee));
        }
        assertThat(readAll(o())).isEqualTo(concat(zeros(1234), data));
        remount();
        assertThat(readAll(o())).isEqualTo(concat(zeros(1234), data));
    }

    @Test
    @DisplayName("B1.fiemap-empty: a hole of 100000 bytes is empty or one extent")
    default void fiemapOfHole() {
        apply(new Transaction().touch(PG, o()).truncate(PG, o(), 100_000));
        assertThat(pg().fiemap(o(), 0, 100_000)).isIn(List.of(), List.of(new Extent(0, 100_000)));
    }

    @Test
    @DisplayName("B1.fiemap-holes: 4000 small writes 64 KiB apart are all covered")
    default void fiemapOfHoles() {
        Transaction writes = new Transaction();
        for (int i = 0; i < 4000; i++) {
            writes.write(PG, o(), i * 65_536L, text("abc"));
        }
        apply(writes);
        assertCovers(pg().fiemap(o(), 0, 65_536L * 3999 + 3), 0, 4000);
        assertCovers(pg().fiemap(o(), 65_536, 65_536L * 3998 + 3), 1, 4000);
    }

    private static void assertCovers(List<Extent> map, int first, int end) {
        int at = 0;
        for (int i = first; i < end; i++) {
            long from = i * 65_536L;
            while (at < map.size() && map.get(at).end() <= from) {
                at++;
            }
            assertThat(at).as("extent for %d in %d extents", from, map.size()).isLessThan(map.size());
            assertThat(map.get(at).offset()).isLessThanOrEqualTo(from);
            assertThat(map.get(at).end()).isGreaterThanOrEqualTo(from + 3);
        }
        assertThat(map.getFirst().offset()).isEqualTo(first * 65_536L);
        assertThat(map.getLast().end()).isEqualTo((end - 1) * 65_536L + 3);
    }

    @Test
    @DisplayName("C1.fiemap-ranges: clipped to the range and to the end; zeroed and absent parts stay out")
    default void fiemapRanges() {
        apply(write(0, pattern(1, 200_000)).zero(PG, o(), 65_536, 65_536));
        for (long[] range : new long[][] {
            {0, 200_000},
            {0, 1 << 30},
            {10, 20},
            {65_536, 65_536},
            {70_000, 1},
            {150_000, 100_000},
            {65_530, 12},
            {131_070, 4}
        }) {
            StoreComparator.checkFiemap(pg(), o(), range[0], range[1]);
        }
        assertThat(pg().fiemap(o(), 10, 20)).containsExactly(new Extent(10, 20));
        assertThat(pg().fiemap(o(), 70_000, 0)).isEmpty();
        assertThat(pg().fiemap(o(), 200_000, 10)).isEmpty();
        assertThat(pg().fiemap(o(), 500_000, 10)).isEmpty();
        apply(new Transaction().truncate(PG, o(), 0));
        assertThat(pg().fiemap(o(), 0, 100)).isEmpty();
    }
}
