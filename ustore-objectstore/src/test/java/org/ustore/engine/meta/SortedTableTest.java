package org.ustore.engine.meta;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table does what a TreeMap does, and its snapshots stay as they were. */
final class SortedTableTest {
    private record Kept(SortedTable<Integer, Integer> snapshot, TreeMap<Integer, Integer> expected) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void likeATreeMap(long seed) {
        Random random = new Random(seed);
        int range = 50 + random.nextInt(3000);
        SortedTable<Integer, Integer> table = new SortedTable<>();
        TreeMap<Integer, Integer> model = new TreeMap<>();
        List<Kept> kept = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            int key = random.nextInt(range);
            switch (random.nextInt(step % 4000 < 2500 ? 8 : 4)) {
                case 0, 1 -> assertThat(table.remove(key)).isEqualTo(model.remove(key));
                case 2 -> {
                    int end = key + random.nextInt(1 + range / 20);
                    List<Integer> removed = new ArrayList<>();
                    table.removeRange(key, end, (k, _) -> removed.add(k));
                    assertThat(removed)
                            .containsExactlyElementsOf(model.subMap(key, end).keySet());
                    model.subMap(key, end).clear();
                }
                case 3 -> checkSeek(table, model, key);
                default -> assertThat(table.put(key, step)).isEqualTo(model.put(key, step));
            }
            assertThat(table.size()).isEqualTo(model.size());
            if (step % 997 == 0) {
                kept.add(new Kept(table.snapshot(), new TreeMap<>(model)));
            }
        }
        kept.add(new Kept(table, model));
        for (Kept k : kept) {
            TreeMap<Integer, Integer> found = new TreeMap<>();
            k.snapshot().forEach(found::put);
            assertThat(found).isEqualTo(k.expected());
        }
    }

    private static void checkSeek(SortedTable<Integer, Integer> table, NavigableMap<Integer, Integer> model, int key) {
        assertThat(table.get(key)).isEqualTo(model.get(key));
        SortedTable.Cursor<Integer, Integer> cursor = table.cursor();
        cursor.lowerBound(key);
        assertThat(cursor.valid() ? cursor.key() : null).isEqualTo(model.ceilingKey(key));
        cursor.upperBound(key);
        assertThat(cursor.valid() ? cursor.key() : null).isEqualTo(model.higherKey(key));
    }
}
