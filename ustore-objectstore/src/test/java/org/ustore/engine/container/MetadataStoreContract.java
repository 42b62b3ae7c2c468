package org.ustore.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** What every {@link MetadataStore} does, whatever its medium. */
public abstract class MetadataStoreContract {
    private static final byte[] NONE = new byte[0];

    /** A new, empty store. */
    protected abstract MetadataStore create();

    /** The store as it is found after a stop at this moment, when {@code root} was the last one installed. */
    protected abstract MetadataStore reopen(RootRef root);

    /** Called now and then while there is no other work: look for damage, in whatever way the medium allows. */
    protected abstract void check(MetadataStore store, String when);

    private static byte[] b(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static RootRef checkpoint(MetadataStore store) {
        Checkpoint checkpoint = store.beginCheckpoint();
        RootRef root = checkpoint.write();
        checkpoint.installed();
        return root;
    }

    private static List<String> keys(MetadataStore store) {
        List<String> keys = new ArrayList<>();
        try (Snapshot snapshot = store.snapshot()) {
            KeyIterator walk = snapshot.iterator();
            for (walk.next(); walk.valid(); walk.next()) {
                keys.add(new String(walk.key(), StandardCharsets.ISO_8859_1));
            }
        }
        return keys;
    }

    @Test
    void anEmptyStoreHasNothing() {
        MetadataStore store = create();
        assertThat(store.get(b("a"))).isNull();
        assertThat(store.get(NONE)).isNull();
        assertThat(store.size()).isZero();
        try (Snapshot snapshot = store.snapshot()) {
            KeyIterator walk = snapshot.iterator();
            assertThat(walk.valid()).isFalse();
            walk.next();
            assertThat(walk.valid()).isFalse();
            walk.prev();
            assertThat(walk.valid()).isFalse();
            walk.seekToEnd();
            walk.prev();
            assertThat(walk.valid()).isFalse();
            assertThatThrownBy(walk::key).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void keysAreInUnsignedOrderAndTheEmptyKeyIsFirst() {
        MetadataStore store = create();
        store.apply(new WriteBatch()
                .put(b("\u00ff\u00fe"), b("1"))
                .put(b("a"), NONE)
                .put(b("~z"), b("3"))
                .put(NONE, b("4"))
                .put(b("n\0l"), b("5"))
                .put(b("n"), b("6"))
                .put(b("A.b-c"), b("7")));
        assertThat(keys(store)).containsExactly("", "A.b-c", "a", "n", "n\0l", "~z", "\u00ff\u00fe");
        assertThat(store.get(b("a"))).isEmpty();
        assertThat(store.get(NONE)).isEqualTo(b("4"));
        assertThat(store.size()).isEqualTo(7);
    }

    @Test
    void operationsOfABatchFollowEachOther() {
        MetadataStore store = create();
        store.apply(new WriteBatch().put(b("a"), b("1")).put(b("b"), b("1")).put(b("c"), b("1")));
        store.apply(new WriteBatch()
                .put(b("d"), b("2"))
                .deleteRange(b("b"), b("e"))
                .put(b("c"), b("3"))
                .delete(b("a"))
                .put(b("a"), b("4"))
                .patch(b("a"), 1, b("5"))
                .delete(b("nothing")));
        assertThat(keys(store)).containsExactly("a", "c");
        assertThat(store.get(b("a"))).isEqualTo(b("45"));
        assertThat(store.get(b("c"))).isEqualTo(b("3"));
    }

    @Test
    void rangesTakeTheirStartAndLeaveTheirEnd() {
        MetadataStore store = create();
        WriteBatch digits = new WriteBatch();
        for (int i = 0; i < 10; i++) {
            digits.put(b("" + i), NONE);
        }
        store.apply(digits);
        store.apply(new WriteBatch().deleteRange(b("3"), b("7")));
        assertThat(keys(store)).containsExactly("0", "1", "2", "7", "8", "9");
        store.apply(new WriteBatch().deleteRange(b("8"), b("8")).deleteRange(b("9"), b("0")));
        assertThat(store.size()).isEqualTo(6);
        store.apply(new WriteBatch().deleteRange(NONE, b("1")));
        assertThat(keys(store)).containsExactly("1", "2", "7", "8", "9");
    }

    @Test
    void patchesReplaceAndExtend() {
        MetadataStore store = create();
        store.apply(new WriteBatch().put(b("k"), b("hello")));
        store.apply(new WriteBatch().patch(b("k"), 1, b("ipp")));
        assertThat(store.get(b("k"))).isEqualTo(b("hippo"));
        store.apply(new WriteBatch().patch(b("k"), 7, b("!")));
        assertThat(store.get(b("k"))).isEqualTo(b("hippo\0\0!"));
        store.apply(new WriteBatch().patch(b("new"), 2, NONE).patch(b("empty"), 0, NONE));
        assertThat(store.get(b("new"))).isEqualTo(new byte[2]);
        assertThat(store.get(b("empty"))).isEmpty();
        assertThat(store.size()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {3967, 3968, 3969, 65_536, 1 << 20, MetadataStore.MAX_VALUE_BYTES})
    void longValuesArePutPatchedReplacedAndRemoved(int length) {
        MetadataStore store = create();
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (i * 31 ^ i >> 8);
        }
        store.apply(new WriteBatch().put(b("j"), b("x")).put(b("k"), value).put(b("l"), b("y")));
        assertThat(Arrays.equals(store.get(b("k")), value)).isTrue();

        byte[] patch = new byte[Math.min(10_000, length / 2)];
        Arrays.fill(patch, (byte) 7);
        store.apply(new WriteBatch().patch(b("k"), length / 3, patch));
        System.arraycopy(patch, 0, value, length / 3, patch.length);
        assertThat(Arrays.equals(store.get(b("k")), value)).isTrue();
        assertThat(keys(store)).containsExactly("j", "k", "l");

        store.apply(new WriteBatch().put(b("k"), b("short")));
        assertThat(store.get(b("k"))).isEqualTo(b("short"));
        store.apply(new WriteBatch().put(b("k"), value).delete(b("k")));
        assertThat(keys(store)).containsExactly("j", "l");
        assertThat(store.size()).isEqualTo(2);
        check(store, "length " + length);
    }

    @Test
    void aLongValueGrowsByPatches() {
        MetadataStore store = create();
        byte[] expected = new byte[100_000];
        byte[] piece = new byte[1000];
        for (int at = 0; at < expected.length; at += piece.length) {
            Arrays.fill(piece, (byte) (at / 1000));
            System.arraycopy(piece, 0, expected, at, piece.length);
            store.apply(new WriteBatch().patch(b("k"), at, piece));
        }
        assertThat(store.get(b("k"))).isEqualTo(expected);
        check(store, "grown");
    }

    @Test
    void keysAsLongAsTheLimit() {
        MetadataStore store = create();
        Model model = new Model();
        for (int i = 0; i < 60; i++) {
            byte[] key = new byte[MetadataStore.MAX_KEY_BYTES];
            Arrays.fill(key, (byte) 'x');
            // Different at the end, at the start, and shorter: bounds of all lengths.
            key[i % 3 == 0 ? 0 : key.length - 1] = (byte) (i * 37);
            key = i % 3 == 2 ? Arrays.copyOf(key, key.length - i) : key;
            WriteBatch batch = new WriteBatch().put(key, new byte[i * 150]);
            store.apply(batch);
            batch.forEach(model);
        }
        try (Snapshot snapshot = store.snapshot()) {
            model.assertSame(snapshot, "long keys");
        }
        check(store, "long keys");
    }

    @Test
    void whatIsTooLongIsRefused() {
        WriteBatch batch = new WriteBatch();
        byte[] key = new byte[MetadataStore.MAX_KEY_BYTES + 1];
        byte[] value = new byte[MetadataStore.MAX_VALUE_BYTES + 1];
        List<Runnable> refused = List.of(
                () -> batch.put(key, NONE),
                () -> batch.delete(key),
                () -> batch.deleteRange(NONE, key),
                () -> batch.deleteRange(key, NONE),
                () -> batch.patch(key, 0, NONE),
                () -> batch.put(NONE, value),
                () -> batch.patch(NONE, MetadataStore.MAX_VALUE_BYTES, new byte[1]),
                () -> batch.patch(NONE, -1, new byte[1]));
        for (Runnable attempt : refused) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOfSatisfying(
                            ObjectStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
        }
        assertThat(batch.isEmpty()).isTrue();
    }

    @Test
    void seeksLandAtOrAfterTheKeyAndTurnRound() {
        MetadataStore store = create();
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 2000; i += 2) {
            batch.put(b(String.format("%04d", i)), b("v" + i));
        }
        store.apply(batch);
        try (Snapshot snapshot = store.snapshot()) {
            KeyIterator walk = snapshot.iterator();
            for (int i = 1; i < 1998; i++) {
                walk.seek(b(String.format("%04d", i)));
                int at = (i + 1) / 2 * 2;
                assertThat(walk.key()).isEqualTo(b(String.format("%04d", at)));
                assertThat(walk.value()).isEqualTo(b("v" + at));
                walk.prev();
                assertThat(walk.key()).isEqualTo(b(String.format("%04d", at - 2)));
                walk.next();
                assertThat(walk.key()).isEqualTo(b(String.format("%04d", at)));
            }
            walk.seek(b("1999"));
            assertThat(walk.valid()).isFalse();
            walk.prev();
            assertThat(walk.key()).isEqualTo(b("1998"));
            walk.seek(NONE);
            walk.prev();
            assertThat(walk.valid()).isFalse();
            walk.next();
            assertThat(walk.key()).isEqualTo(b("0000"));
        }
    }

    @Test
    void snapshotsAreLimited() {
        MetadataStore store = create();
        List<Snapshot> open = new ArrayList<>();
        for (int i = 0; i < MetadataStore.MAX_SNAPSHOTS; i++) {
            open.add(store.snapshot());
        }
        assertThatThrownBy(store::snapshot)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EBUSY));
        open.removeFirst().close();
        store.snapshot().close();
        Snapshot closed = open.getFirst();
        open.forEach(Snapshot::close);
        assertThatThrownBy(() -> closed.get(NONE)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomHistory(long seed) {
        history(seed, 1500, 220, 30);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void randomHistoryOfManyKeys(long seed) {
        history(seed, 40_000, 60, 1500);
    }

    private void history(long seed, int keys, int steps, int operations) {
        String run = "seed " + seed;
        RandomBatches batches = new RandomBatches(seed, keys);
        MetadataStore store = create();
        Model model = new Model();
        List<WriteBatch> log = new ArrayList<>();
        List<Snapshot> snapshots = new ArrayList<>();
        List<Model> pictures = new ArrayList<>();
        RootRef root = RootRef.EMPTY;
        @Nullable Checkpoint pending = null;
        for (int step = 0; step < steps; step++) {
            String when = run + ", step " + step;
            WriteBatch batch = batches.next(operations);
            store.apply(batch);
            batch.forEach(model);
            log.add(batch);
            byte[] key = batches.key();
            assertThat(store.get(key)).as(when).isEqualTo(model.get(key));
            assertThat(store.size()).as(when).isEqualTo(model.size());
            int event = batches.random().nextInt(20);
            if (event < 4) {
                snapshots.add(store.snapshot());
                pictures.add(model.copy());
            } else if (event < 7 && !snapshots.isEmpty()) {
                int i = batches.random().nextInt(snapshots.size());
                pictures.remove(i).assertSame(snapshots.get(i), when + ", snapshot");
                snapshots.remove(i).close();
            } else if (event < 10 && pending == null) {
                pending = store.beginCheckpoint();
                log.clear();
            } else if (event < 13 && pending != null) {
                root = pending.write();
                pending.installed();
                pending = null;
            } else if (event == 13 && pending == null) {
                snapshots.forEach(Snapshot::close);
                snapshots.clear();
                pictures.clear();
                store = reopen(root);
                log.forEach(store::apply);
                try (Snapshot now = store.snapshot()) {
                    model.assertSame(now, when + ", reopened");
                }
            } else if (event == 14) {
                check(store, when);
            }
            int budget = 1 + batches.random().nextInt(50);
            assertThat(store.work(budget)).as(when).isNotNegative();
        }
        for (int i = 0; i < snapshots.size(); i++) {
            pictures.get(i).assertSame(snapshots.get(i), run + ", last snapshots");
            snapshots.get(i).close();
        }
        try (Snapshot now = store.snapshot()) {
            model.assertSame(now, run + ", end");
        }
        check(store, run + ", end");
    }

    @Test
    void aCheckpointOnTopOfOlderBatchesMayBeReplayed() {
        RandomBatches batches = new RandomBatches(99, 500);
        MetadataStore store = create();
        Model model = new Model();
        List<WriteBatch> log = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            WriteBatch batch = batches.next(20);
            log.add(batch);
            store.apply(batch);
            batch.forEach(model);
        }
        RootRef root = checkpoint(store);
        MetadataStore again = reopen(root);
        log.forEach(again::apply);
        try (Snapshot now = again.snapshot()) {
            model.assertSame(now, "replayed twice");
        }
    }

    @Test
    void anAbandonedCheckpointIsMadeUpForByTheNext() {
        MetadataStore store = create();
        store.apply(new WriteBatch().put(b("a"), b("1")));
        Checkpoint first = store.beginCheckpoint();
        assertThatThrownBy(store::beginCheckpoint).isInstanceOf(IllegalStateException.class);
        first.write();
        first.abandon();
        assertThatThrownBy(first::installed).isInstanceOf(IllegalStateException.class);
        Checkpoint second = store.beginCheckpoint();
        second.abandon();
        store.apply(new WriteBatch().put(b("b"), b("2")));
        RootRef root = checkpoint(store);
        MetadataStore again = reopen(root);
        assertThat(keys(again)).containsExactly("a", "b");
        check(again, "after an abandoned checkpoint");
    }

    /** Readers see each batch whole, whatever the writer does at the same time. */
    @Test
    void readersOnOtherThreadsSeeWholeBatches() throws InterruptedException {
        MetadataStore store = create();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        int pairs = 400;
        WriteBatch first = new WriteBatch();
        for (int i = 0; i < pairs; i++) {
            first.put(b("a" + i), b("0")).put(b("z" + i), b("0"));
        }
        store.apply(first);
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; !stop.get(); i = (i + 1) % pairs) {
                    for (int j = 0; j < 20; j++) {
                        assertThat(store.get(b("a" + (i + j) % pairs))).isNotNull();
                    }
                    try (Snapshot snapshot = store.snapshot()) {
                        assertThat(snapshot.get(b("a" + i))).isEqualTo(snapshot.get(b("z" + i)));
                        assertThat(snapshot.size()).isEqualTo(2L * pairs);
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        RandomBatches random = new RandomBatches(5, 10);
        for (int round = 1; round <= 1500 && failure.get() == null; round++) {
            WriteBatch batch = new WriteBatch();
            // Now and then all keys go and come back: a long moment in which a reader must not look.
            boolean all = round % 4 == 0;
            if (all) {
                batch.deleteRange(b("a"), b("b"));
            }
            for (int i = 0; i < (all ? pairs : 5); i++) {
                int pair = all ? i : random.random().nextInt(pairs);
                byte[] value = b("x".repeat(random.random().nextInt(200)));
                batch.delete(b("a" + pair)).put(b("a" + pair), value).put(b("z" + pair), value);
            }
            store.apply(batch);
            if (round % 200 == 0) {
                checkpoint(store);
            }
            store.work(20);
        }
        stop.set(true);
        reader.join();
        assertThat(failure.get()).isNull();
        check(store, "after readers");
    }

    /** A read that takes long, while the value is replaced: one value or the other, no mixture. */
    @Test
    void aLongValueIsReadWhole() throws InterruptedException {
        MetadataStore store = create();
        byte[] value = new byte[300_000];
        store.apply(new WriteBatch().put(b("k"), value));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                while (!stop.get()) {
                    byte[] found = store.get(b("k"));
                    byte[] expected = new byte[value.length];
                    Arrays.fill(expected, found == null ? -1 : found[0]);
                    if (!Arrays.equals(found, expected)) {
                        throw new AssertionError("a mixture of values");
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        for (int round = 1; round <= 600 && failure.get() == null; round++) {
            Arrays.fill(value, (byte) round);
            store.apply(new WriteBatch().patch(b("k"), 0, value));
            store.work(100);
        }
        stop.set(true);
        reader.join();
        assertThat(failure.get()).isNull();
    }
}
