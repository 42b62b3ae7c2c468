package org.ustore.engine.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Free space, the int map, and the guard of readers. */
final class SpaceTest {
    @Test
    void everyFreeBlockCanBeAllocatedOnceHoweverScattered() {
        Random random = new Random(11);
        FreeSpace space = new FreeSpace(10_007, 70);
        TreeSet<Integer> used = new TreeSet<>();
        for (int round = 0; round < 2000; round++) {
            if (random.nextBoolean() || used.isEmpty()) {
                int count = Math.min(space.freeBlocks(), 1 + random.nextInt(400));
                for (int block : space.allocate(count)) {
                    assertThat(block).isBetween(70, 10_006);
                    assertThat(used.add(block))
                            .as("block %s given out once", block)
                            .isTrue();
                }
            } else {
                for (int i = random.nextInt(500); i > 0 && !used.isEmpty(); i--) {
                    Integer near = used.ceiling(random.nextInt(10_007));
                    int block = near == null ? used.first() : near;
                    used.remove(block);
                    space.release(block);
                }
            }
            assertThat(space.freeBlocks()).isEqualTo(10_007 - 70 - used.size());
        }
        assertThat(space.allocate(space.freeBlocks())).doesNotHaveDuplicates();
        assertThatThrownBy(() -> space.allocate(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void freeingTwiceIsNoticed() {
        FreeSpace space = new FreeSpace(100, 1);
        int block = space.allocate(1)[0];
        space.release(block);
        assertThatThrownBy(() -> space.release(block)).hasMessageContaining("freed twice");
    }

    @Test
    void aRunIsGivenWhereThereIsOne() {
        FreeSpace space = new FreeSpace(1000, 1);
        int[] all = space.allocate(999);
        for (int i = 0; i < 300; i += 2) {
            space.release(all[i]);
        }
        for (int i = 400; i < 464; i++) {
            space.release(all[i]);
        }
        int[] run = space.allocate(64);
        assertThat(run[63] - run[0]).isEqualTo(63);
    }

    @Test
    void intMapIsLikeAHashMap() {
        Random random = new Random(5);
        IntIntMap map = new IntIntMap();
        Map<Integer, Integer> model = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            int key = 1 + random.nextInt(500) * (random.nextBoolean() ? 1 : 64);
            if (random.nextInt(5) < 2) {
                assertThat(map.remove(key, -1)).isEqualTo(model.getOrDefault(key, -1));
                model.remove(key);
            } else {
                map.put(key, i);
                model.put(key, i);
            }
            assertThat(map.get(key, -1)).isEqualTo(model.getOrDefault(key, -1));
        }
        assertThat(map.keys()).hasSize(model.size());
        model.forEach((k, v) -> assertThat(map.get(k, -1)).isEqualTo(v));
    }

    @Test
    void nothingComesBackUnderAReader() {
        ReadGuard guard = new ReadGuard();
        List<Integer> back = new ArrayList<>();
        int reader = guard.enter();
        guard.retire(7);
        for (int i = 0; i < 5; i++) {
            guard.advance(back::add);
        }
        assertThat(back).isEmpty();
        int later = guard.enter();
        guard.leave(reader);
        for (int i = 0; i < 5; i++) {
            guard.advance(back::add);
        }
        // The later reader entered after an advance, so it may not have seen 7; it delays, never more.
        guard.leave(later);
        for (int i = 0; i < 5; i++) {
            guard.advance(back::add);
        }
        assertThat(back).containsExactly(7);
        assertThat(guard.isIdle()).isTrue();
    }
}
