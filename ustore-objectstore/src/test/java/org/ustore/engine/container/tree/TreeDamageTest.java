package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.SimulatedDisk.Call;
import org.ustore.engine.device.SimulatedDisk.Fault;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Damage of any page is found when it is read, named, and never returned; what is elsewhere goes on. */
final class TreeDamageTest {
    private static final int BLOCK = BlockDevice.BLOCK_BYTES;

    private final TestStore test = new TestStore(20_000, 8 << 20);
    /** First blocks of all pages, parents before children. */
    private final List<Long> pages = new ArrayList<>();

    private static byte[] key(int number) {
        // Long, so that a small tree is three levels high.
        return String.format("%0300d", number).getBytes(StandardCharsets.US_ASCII);
    }

    /** The tree's pages, in the middle of the tree one with a long value. */
    @BeforeEach
    void fill() {
        for (int i = 0; i < 1000; i++) {
            // Another order than that of keys makes bounds long.
            test.apply(new WriteBatch().put(key(i * 337 % 1000), new byte[200]));
        }
        test.apply(new WriteBatch().put(key(500), new byte[20_000]));
        test.checkpoint();
        test.drain();
        test.store.forEachPage((block, _) -> pages.add(block));
        assertThat(test.root.height()).isGreaterThanOrEqualTo(3);
    }

    private void assertDamageNamed(long block, String when) {
        try {
            test.restart();
            try (Snapshot snapshot = test.store.snapshot()) {
                test.model.assertSame(snapshot, when);
            }
        } catch (ObjectStoreException e) {
            assertThat(e.code()).as(when).isEqualTo(ErrorCode.EIO);
            assertThat(e.getMessage()).as(when).contains("block=" + block + " ");
            if (block != test.root.block()) {
                List<String> errors = new ArrayList<>();
                TreeStore.open(test.device, new BlockMap(10), test.cacheBytes, test.root)
                        .verify(errors::add);
                assertThat(errors).as(when).hasSize(1);
                assertThat(errors.getFirst()).as(when).contains("block=" + block + " ");
            }
            return;
        }
        throw new AssertionError("damage went unseen: " + when);
    }

    @Test
    void aFlippedBitInAnyPage() {
        Random random = new Random(3);
        for (int i = 0; i < pages.size(); i += i < 12 ? 1 : 17) {
            long block = pages.get(i);
            long at = block * BLOCK + random.nextInt(PageFormat.PAGE_BYTES);
            int bit = random.nextInt(8);
            test.disk.flip(at, bit);
            assertDamageNamed(block, "page " + i + " of " + pages.size() + ", byte " + at + ", bit " + bit);
            test.disk.flip(at, bit);
        }
        test.restart();
        test.assertGood("healed");
    }

    /** A page that is whole, but not the one that should be there. */
    @Test
    void anotherPageInThePlace() {
        for (int i = 0; i + 1 < pages.size(); i += i < 12 ? 1 : 17) {
            long block = pages.get(i);
            List<byte[]> saved = new ArrayList<>();
            for (int j = 0; j < 2; j++) {
                saved.add(test.disk.block((int) block + j));
                test.disk.setBlock((int) block + j, test.disk.block((int) (pages.get(i + 1) + j)));
            }
            assertDamageNamed(block, "page " + i);
            for (int j = 0; j < 2; j++) {
                test.disk.setBlock((int) block + j, saved.get(j));
            }
        }
    }

    /** A write that never arrived: the page is one of the same place and kind, of before. */
    @Test
    void aLostWrite() {
        byte[][] before = new byte[test.blocks][];
        for (int i = 0; i < 400; i++) {
            before[i] = test.disk.block(i);
        }
        // Two rounds, so that places of old pages are taken again.
        for (int round = 1; round <= 2; round++) {
            for (int i = 0; i < 1000; i++) {
                test.apply(new WriteBatch().patch(key(i), 3, new byte[] {(byte) round}));
            }
            test.checkpoint();
            test.drain();
        }
        List<Long> present = new ArrayList<>();
        test.store.forEachPage((block, _) -> present.add(block));
        present.retainAll(pages);
        assertThat(present).isNotEmpty();
        long block = present.getLast();
        test.disk.setBlock((int) block, before[(int) block]);
        test.disk.setBlock((int) block + 1, before[(int) block + 1]);
        assertDamageNamed(block, "lost write");
    }

    @Test
    void aBadReadIsTriedAgain() {
        test.restart();
        spoilFirst(1, Fault.FLIP);
        test.assertGood("one read spoilt");
        assertThat(test.store.pageRereads()).isEqualTo(1);
        spoilFirst(1, Fault.ERROR);
        assertThat(test.errors()).isEmpty();
        assertThat(test.store.pageRereads()).isEqualTo(2);
        spoilFirst(2, Fault.ERROR);
        assertThat(test.errors()).hasSize(1);
    }

    private void spoilFirst(int reads, Fault fault) {
        int[] left = {reads};
        test.disk.faults((call, _, _) -> call == Call.READ && left[0]-- > 0 ? fault : Fault.NONE);
    }

    @Test
    void aBatchThatMeetsDamageHasNoEffect() {
        long leaf = pages.get(pages.size() - 3);
        test.disk.flip(leaf * BLOCK + 100, 1);
        test.restart();
        int hit = 900;
        while (readable(key(hit))) {
            hit++;
        }
        byte[] lost = key(hit);
        WriteBatch batch = new WriteBatch()
                .put(key(1), new byte[1])
                .deleteRange(key(2), key(400))
                .put(lost, new byte[1]);
        assertThatThrownBy(() -> test.store.apply(batch))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EIO));
        assertThat(test.store.size()).isEqualTo(1000);
        assertThat(test.store.get(key(1))).hasSize(200);
        assertThat(test.store.get(key(300))).hasSize(200);
        assertThatThrownBy(() -> test.store.get(lost)).hasMessageContaining("block=" + leaf + " ");
        test.apply(new WriteBatch().put(key(1), new byte[7]));
        assertThat(test.store.get(key(1))).hasSize(7);
        // The damaged page can be deleted with what is around it, and then all is well.
        test.apply(new WriteBatch().deleteRange(key(900), new byte[] {'1'}));
        test.assertGood("without the damaged page");
    }

    private boolean readable(byte[] key) {
        try {
            return test.store.get(key) != null;
        } catch (ObjectStoreException e) {
            return false;
        }
    }
}
