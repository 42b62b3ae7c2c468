package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.assertCode;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.concat;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;
import static org.ustore.objectstore.testkit.StoreUnderTest.slice;
import static org.ustore.objectstore.testkit.StoreUnderTest.zeros;

import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Transaction;

/** Clones, cloned ranges, renames. */
interface CloneContract extends StoreUnderTest {

    private static ObjectId head() {
        return object("o");
    }

    private static ObjectId snap() {
        return head().withSnap(4);
    }

    private byte[] of(ObjectId object) {
        return pg().read(object, 0, 0);
    }

    @Test
    @DisplayName("B1.simple-clone: the clone keeps the old data and attributes; both change apart afterwards")
    default void simpleClone() {
        apply(new Transaction()
                .write(PG, head(), 0, pattern(1, 5))
                .write(PG, head(), 10, pattern(2, 5))
                .setAttributes(PG, head(), entries("attr1", "a", "attr2", "b", "attr3", "c")));
        apply(new Transaction()
                .clone(PG, head(), snap())
                .setAttribute(PG, snap(), bytes("attr2"), bytes("new"))
                .removeAttribute(PG, snap(), bytes("attr1"))
                .write(PG, head(), 10, pattern(3, 5))
                .setAttribute(PG, head(), bytes("attr3"), bytes("changed")));
        assertThat(of(snap())).isEqualTo(concat(pattern(1, 5), zeros(5), pattern(2, 5)));
        assertThat(of(head())).isEqualTo(concat(pattern(1, 5), zeros(5), pattern(3, 5)));
        assertThat(pg().attributes(snap())).isEqualTo(entries("attr2", "new", "attr3", "c"));
        assertThat(pg().attributes(head())).isEqualTo(entries("attr1", "a", "attr2", "b", "attr3", "changed"));
        remount();
        assertThat(of(snap())).isEqualTo(concat(pattern(1, 5), zeros(5), pattern(2, 5)));
        assertThat(of(head())).isEqualTo(concat(pattern(1, 5), zeros(5), pattern(3, 5)));
    }

    @Test
    @DisplayName("B1.clone-write-patterns: write, clone, write in one transaction")
    default void writeCloneWrite() {
        int[][] patterns = {
            {16_384, 16_384, 4096},
            {16_384, 20_480, 4096},
            {16_000, 17_000, 8000},
            {1 << 20, 65_536, 65_536},
            {65_536, 32_768, 4096},
            {65_536, 33_768, 4096},
            {3 << 20, (1 << 20) - 5, 11},
        };
        for (int i = 0; i < patterns.length; i++) {
            int first = patterns[i][0];
            int offset = patterns[i][1];
            int second = patterns[i][2];
            apply(new Transaction()
                    .remove(PG, head())
                    .write(PG, head(), 0, pattern(i, first))
                    .clone(PG, head(), snap())
                    .write(PG, head(), offset, pattern(i + 50, second)));
            byte[] expected = java.util.Arrays.copyOf(pattern(i, first), Math.max(first, offset + second));
            System.arraycopy(pattern(i + 50, second), 0, expected, offset, second);
            assertThat(of(head())).as("pattern %d", i).isEqualTo(expected);
            assertThat(of(snap())).as("pattern %d", i).isEqualTo(pattern(i, first));
        }
    }

    @Test
    @DisplayName("B1.omap-clone: keys and header are cloned and independent")
    default void omapClone() {
        apply(new Transaction()
                .touch(PG, head())
                .omapSetKeys(PG, head(), entries("k1", "v1", "k2", "v2"))
                .omapSetHeader(PG, head(), bytes("header"))
                .clone(PG, head(), snap()));
        apply(new Transaction()
                .omapSetKeys(PG, head(), entries("k1", "changed", "k3", "v3"))
                .omapRemoveKeys(PG, snap(), Set.of(bytes("k2"))));
        assertThat(pg().omap(snap()).entries()).isEqualTo(entries("k1", "v1"));
        assertThat(pg().omapHeader(snap())).isEqualTo(bytes("header"));
        assertThat(pg().omap(head()).entries()).isEqualTo(entries("k1", "changed", "k2", "v2", "k3", "v3"));
        apply(new Transaction().remove(PG, head()));
        remount();
        assertThat(pg().omap(snap()).entries()).isEqualTo(entries("k1", "v1"));
        assertThat(pg().omapHeader(snap())).isEqualTo(bytes("header"));
    }

    @Test
    @DisplayName("C5.clone-replaces: a clone takes the place of all its target had")
    default void cloneReplaces() {
        apply(new Transaction().write(PG, head(), 0, pattern(1, 10)).setAttributes(PG, head(), entries("xa", "1")));
        apply(new Transaction()
                .write(PG, snap(), 0, pattern(2, 9000))
                .setAttributes(PG, snap(), entries("xb", "2"))
                .omapSetKeys(PG, snap(), entries("k", "v"))
                .omapSetHeader(PG, snap(), bytes("h")));
        apply(new Transaction().clone(PG, head(), snap()));
        assertThat(of(snap())).isEqualTo(pattern(1, 10));
        assertThat(pg().attributes(snap())).isEqualTo(entries("xa", "1"));
        assertThat(pg().omap(snap()).entries()).isEmpty();
        assertThat(pg().omapHeader(snap())).isEqualTo(ByteString.EMPTY);
    }

    @Test
    @DisplayName("C5.clone-independent: changing, cutting and removing one side leaves the other")
    default void cloneIndependent() {
        byte[] data = pattern(1, 200_000);
        apply(new Transaction().write(PG, head(), 0, data).clone(PG, head(), snap()));
        apply(new Transaction()
                .write(PG, head(), 4097, pattern(2, 50_000))
                .zero(PG, head(), 100_000, 20_000)
                .truncate(PG, head(), 150_000));
        assertThat(of(snap())).isEqualTo(data);
        ObjectId second = head().withSnap(5);
        apply(new Transaction().clone(PG, head(), second).write(PG, snap(), 1, pattern(3, 10)));
        byte[] expectedHead = slice(data, 0, 150_000);
        System.arraycopy(pattern(2, 50_000), 0, expectedHead, 4097, 50_000);
        java.util.Arrays.fill(expectedHead, 100_000, 120_000, (byte) 0);
        assertThat(of(second)).isEqualTo(expectedHead);
        apply(new Transaction().remove(PG, head()));
        remount();
        assertThat(of(second)).isEqualTo(expectedHead);
        byte[] expectedSnap = data.clone();
        System.arraycopy(pattern(3, 10), 0, expectedSnap, 1, 10);
        assertThat(of(snap())).isEqualTo(expectedSnap);
    }

    @Test
    @DisplayName("C5.clone-chain: ten snapshots of a changing object all keep their state")
    default void cloneChain() {
        byte[] state = zeros(0);
        byte[][] states = new byte[10][];
        for (int i = 0; i < 10; i++) {
            byte[] data = pattern(i, 3000 + i * 777);
            int offset = i * 2500;
            byte[] next = java.util.Arrays.copyOf(state, Math.max(state.length, offset + data.length));
            System.arraycopy(data, 0, next, offset, data.length);
            state = next;
            states[i] = state;
            apply(new Transaction().write(PG, head(), offset, data).clone(PG, head(), head().withSnap(i + 1)));
        }
        for (int i = 0; i < 10; i += 2) {
            apply(new Transaction().remove(PG, head().withSnap(i + 1)));
        }
        remount();
        for (int i = 1; i < 10; i += 2) {
            assertThat(of(head().withSnap(i + 1))).as("snap %d", i + 1).isEqualTo(states[i]);
        }
    }

    @Test
    @DisplayName("C5.clone-rollback: a snapshot cloned back over the head restores it")
    default void cloneBack() {
        apply(new Transaction()
                .write(PG, head(), 0, pattern(1, 10_000))
                .setAttributes(PG, head(), entries("a", "old"))
                .clone(PG, head(), snap()));
        apply(new Transaction()
                .write(PG, head(), 500, pattern(2, 20_000))
                .setAttributes(PG, head(), entries("b", "new")));
        apply(new Transaction().remove(PG, head()).clone(PG, snap(), head()));
        assertThat(of(head())).isEqualTo(pattern(1, 10_000));
        assertThat(pg().attributes(head())).isEqualTo(entries("a", "old"));
        apply(new Transaction().remove(PG, snap()));
        assertThat(of(head())).isEqualTo(pattern(1, 10_000));
    }

    @Test
    @DisplayName("B1.clone-range: creates the target; holes are cloned and the target grows")
    default void cloneRange() {
        ObjectId target = object("target");
        apply(new Transaction().write(PG, head(), 10, pattern(1, 5)));
        apply(new Transaction().cloneRange(PG, head(), target, 10, 5, 10));
        assertThat(pg().read(target, 10, 5)).isEqualTo(pattern(1, 5));
        assertThat(of(target)).isEqualTo(concat(zeros(10), pattern(1, 5)));
        apply(new Transaction().truncate(PG, head(), 1 << 20).cloneRange(PG, head(), target, 0, 1 << 20, 0));
        assertThat(size(head())).isEqualTo(1 << 20);
        assertThat(size(target)).isEqualTo(1 << 20);
        assertThat(of(target)).isEqualTo(of(head()));
    }

    @Test
    @DisplayName("C5.clone-range-holes: a cloned hole replaces the target's data")
    default void cloneRangeOfHole() {
        ObjectId target = object("target");
        apply(new Transaction()
                .write(PG, head(), 0, pattern(1, 5000))
                .write(PG, head(), 50_000, pattern(2, 5000))
                .write(PG, target, 0, pattern(3, 60_000)));
        apply(new Transaction().cloneRange(PG, head(), target, 3000, 48_000, 4001));
        byte[] expected = pattern(3, 60_000);
        System.arraycopy(slice(of(head()), 3000, 48_000), 0, expected, 4001, 48_000);
        assertThat(of(target)).isEqualTo(expected);
    }

    @Test
    @DisplayName("C5.clone-range-no-attrs: attributes and omap are not copied, the target's own stay")
    default void cloneRangeLeavesMetadata() {
        ObjectId target = object("target");
        apply(new Transaction()
                .write(PG, head(), 0, pattern(1, 100))
                .setAttributes(PG, head(), entries("a", "1"))
                .omapSetKeys(PG, head(), entries("k", "1"))
                .touch(PG, target)
                .setAttributes(PG, target, entries("b", "2"))
                .cloneRange(PG, head(), target, 0, 100, 0));
        assertThat(pg().attributes(target)).isEqualTo(entries("b", "2"));
        assertThat(pg().omapKeys(target)).isEmpty();
    }

    @Test
    @DisplayName("C5.clone-range-nothing: length 0 creates the target with size 0")
    default void cloneRangeOfNothing() {
        ObjectId target = object("target");
        apply(new Transaction().write(PG, head(), 0, pattern(1, 10)).cloneRange(PG, head(), target, 3, 0, 7));
        assertThat(size(target)).isZero();
    }

    @Test
    @DisplayName("API.clone-range-past-eof: the range is clipped to the source's end")
    default void cloneRangePastEnd() {
        ObjectId target = object("target");
        ObjectId other = object("other");
        apply(new Transaction()
                .write(PG, head(), 0, pattern(1, 10))
                .cloneRange(PG, head(), target, 5, 100, 0)
                .cloneRange(PG, head(), other, 10, 5, 100));
        assertThat(of(target)).isEqualTo(slice(pattern(1, 10), 5, 5));
        assertThat(size(other)).isZero();
    }

    @Test
    @DisplayName("C5.clone-range-self: onto another part of the same object")
    default void cloneRangeWithin() {
        apply(new Transaction().write(PG, head(), 0, pattern(1, 10_000)));
        apply(new Transaction().cloneRange(PG, head(), head(), 100, 4000, 9000));
        assertThat(of(head()))
                .isEqualTo(concat(slice(pattern(1, 10_000), 0, 9000), slice(pattern(1, 10_000), 100, 4000)));
    }

    @Test
    @DisplayName("B1.rename: rename and write the old name anew in one transaction")
    default void rename() {
        ObjectId target = object("target");
        apply(new Transaction().write(PG, head(), 0, pattern(1, 10)));
        apply(new Transaction()
                .rename(PG, head(), target)
                .write(PG, head(), 0, pattern(2, 20))
                .setAttributes(PG, head(), entries("a", "b")));
        assertThat(of(target)).isEqualTo(pattern(1, 10));
        assertThat(pg().attributes(target)).isEmpty();
        assertThat(of(head())).isEqualTo(pattern(2, 20));
        apply(new Transaction().remove(PG, target).rename(PG, head(), target));
        assertThat(of(target)).isEqualTo(pattern(2, 20));
        assertThat(pg().attributes(target)).isEqualTo(entries("a", "b"));
        assertThat(pg().exists(head())).isFalse();
    }

    @Test
    @DisplayName("B1.move-rename: data, attributes, omap and header follow onto a name just removed")
    default void moveRename() {
        ObjectId temporary = new ObjectId(
                ObjectId.NO_SHARD,
                -3,
                head().hash(),
                ByteString.EMPTY,
                ByteString.EMPTY,
                bytes("temp"),
                ObjectId.HEAD,
                ObjectId.NO_GENERATION,
                false,
                false);
        apply(new Transaction().write(PG, head(), 0, pattern(9, 99)).omapSetKeys(PG, head(), entries("old", "x")));
        apply(new Transaction()
                .write(PG, temporary, 0, pattern(1, 10_000))
                .setAttributes(PG, temporary, entries("attr", "value"))
                .omapSetKeys(PG, temporary, entries("k", "v"))
                .omapSetHeader(PG, temporary, bytes("header")));
        apply(new Transaction().remove(PG, head()).rename(PG, temporary, head()));
        for (int round = 0; round < 2; round++) {
            assertThat(pg().exists(temporary)).isFalse();
            assertThat(of(head())).isEqualTo(pattern(1, 10_000));
            assertThat(pg().attributes(head())).isEqualTo(entries("attr", "value"));
            assertThat(pg().omap(head()).entries()).isEqualTo(entries("k", "v"));
            assertThat(pg().omapHeader(head())).isEqualTo(bytes("header"));
            remount();
        }
    }

    @Test
    @DisplayName("B1.try-rename: a missing source is ignored, also when the target exists")
    default void renameOfMissing() {
        ObjectId target = object("target");
        apply(new Transaction().rename(PG, head(), target));
        assertThat(pg().exists(target)).isFalse();
        apply(new Transaction().write(PG, target, 0, pattern(1, 10)).rename(PG, head(), target));
        assertThat(of(target)).isEqualTo(pattern(1, 10));
        apply(new Transaction().touch(PG, head()).remove(PG, target).rename(PG, head(), target));
        assertCode(ErrorCode.ENOENT, () -> pg().stat(head()));
        assertThat(size(target)).isZero();
    }

    @Test
    @DisplayName("C5.rename-keeps-clones: clones share data with an object that moves on")
    default void renameOfCloned() {
        ObjectId stash = head().withGeneration(17);
        apply(new Transaction().write(PG, head(), 0, pattern(1, 100_000)).clone(PG, head(), snap()));
        apply(new Transaction().rename(PG, head(), stash).write(PG, stash, 50_000, pattern(2, 5000)));
        assertThat(of(snap())).isEqualTo(pattern(1, 100_000));
        byte[] expected = pattern(1, 100_000);
        System.arraycopy(pattern(2, 5000), 0, expected, 50_000, 5000);
        assertThat(of(stash)).isEqualTo(expected);
        apply(new Transaction().remove(PG, snap()));
        assertThat(of(stash)).isEqualTo(expected);
    }

    @Test
    @DisplayName("B1.big-rgw-name: a name of 1040 characters through generations")
    default void longNameThroughGenerations() {
        ObjectId big = object("x".repeat(1040));
        apply(new Transaction()
                .touch(PG, big)
                .rename(PG, big, big.withGeneration(15))
                .touch(PG, big)
                .rename(PG, big, big.withGeneration(17)));
        apply(new Transaction().remove(PG, big.withGeneration(15)));
        assertThat(StoreUnderTest.listAll(pg(), 10)).containsExactly(big.withGeneration(17));
        assertThat(pg().exists(big.withGeneration(15))).isFalse();
        assertThat(pg().exists(big)).isFalse();
    }
}
