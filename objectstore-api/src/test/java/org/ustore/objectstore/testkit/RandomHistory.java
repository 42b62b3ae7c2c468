package org.ustore.objectstore.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Omap;
import org.ustore.objectstore.OmapIterator;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Transaction;
import org.ustore.objectstore.memory.MemoryObjectStore;

/**
 * A seeded history of transactions, reads and remounts, carried out on a store and on the model, the two compared all
 * along. The same seed and profile give the same history.
 *
 * <p>Every operation is applied to the model as it is drawn, so the next one is drawn from what is there by then; the
 * store gets them a transaction at a time. Used by one thread.
 */
public final class RandomHistory {
    /** System property that names the one seed to run. */
    public static final String SEED_PROPERTY = "ustore.seed";

    private static final int TRACE = 12;

    /**
     * Size of a history.
     *
     * @param steps number of transactions, reads and remounts
     * @param maxObjectBytes no object grows larger
     * @param maxWriteBytes no write is longer
     * @param remountPerMille how many of a thousand steps are remounts
     * @param renameAcross whether objects are renamed into other collections, which Ceph's own stores refuse
     */
    public record Profile(int steps, int maxObjectBytes, int maxWriteBytes, int remountPerMille, boolean renameAcross) {
        /** A second or so on a store in memory. */
        public static final Profile SHORT = new Profile(400, 3 << 20, 300_000, 10, true);
        /** For soaks. */
        public static final Profile LONG = new Profile(20_000, 8 << 20, 3 << 20, 4, true);
    }

    private final long seed;
    private final Profile profile;
    private final String testClass;
    private final Supplier<ObjectStore> store;
    private final Runnable remount;
    private final ObjectStore model = new MemoryObjectStore();
    private final Random random;
    private final RandomOperations operations;
    private final Deque<String> trace = new ArrayDeque<>();
    private final Map<CollectionId, ConcurrentLinkedQueue<Integer>> committed = new HashMap<>();
    private final Map<CollectionId, List<Integer>> queued = new HashMap<>();
    private @Nullable Snapshot snapshot;
    private int step;

    /** An iterator held open over later transactions, and what it must yield. */
    private record Snapshot(OmapIterator iterator, Omap expected, String where) {}

    /**
     * A history.
     *
     * @param testClass named in the command that repeats a failure
     * @param store the present, mounted store, holding no collection at first
     * @param remount unmounts the store and mounts it again; {@code store} gives the new one
     */
    public RandomHistory(long seed, Profile profile, String testClass, Supplier<ObjectStore> store, Runnable remount) {
        this.seed = seed;
        this.profile = profile;
        this.testClass = testClass;
        this.store = store;
        this.remount = remount;
        random = new Random(seed);
        model.mkfs(UUID.randomUUID());
        model.mount();
        operations = new RandomOperations(random, profile, model);
    }

    /** The seeds to run: 1 to {@code count}, or the one of {@value #SEED_PROPERTY}. */
    public static LongStream seeds(int count) {
        Long only = Long.getLong(SEED_PROPERTY);
        return only == null ? LongStream.rangeClosed(1, count) : LongStream.of(only);
    }

    /** Runs it all. Fails with the seed, the last transactions and the command that repeats it. */
    public void run() {
        try {
            Transaction start = operations.start();
            Collection sequencer = store.get().createNewCollection(CollectionId.META);
            store.get().queueTransaction(sequencer, start);
            for (step = 0; step < profile.steps(); step++) {
                oneStep();
            }
            checkRemount();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "random history failed: seed=" + seed + " step=" + step + " profile=" + profile + "\n  "
                            + e.getMessage() + "\nlast steps:\n  " + String.join("\n  ", trace)
                            + "\nrepeat with: mvn test -Dtest=" + testClass
                            + " -Dsurefire.failIfNoSpecifiedTests=false -D" + SEED_PROPERTY + "=" + seed,
                    e);
        } finally {
            closeSnapshot();
            model.umount();
        }
    }

    private void oneStep() {
        int dice = random.nextInt(1000);
        if (dice < profile.remountPerMille()) {
            checkRemount();
        } else if (dice < 30) {
            note("compare all");
            StoreComparator.compare(model, store.get());
        } else if (dice < 150) {
            checkRandomRead();
        } else if (dice < 180) {
            checkListing();
        } else if (dice < 230) {
            renewSnapshot();
        } else {
            oneTransaction();
        }
    }

    private void oneTransaction() {
        CollectionId sequencer = operations.anyCollection();
        Transaction transaction = operations.next(1 + random.nextInt(random.nextInt(8) == 0 ? 40 : 6));
        note("queue on " + sequencer + ": " + describe(transaction));
        int number = step;
        queued.computeIfAbsent(sequencer, id -> new ArrayList<>()).add(number);
        ConcurrentLinkedQueue<Integer> order =
                committed.computeIfAbsent(sequencer, id -> new ConcurrentLinkedQueue<>());
        store.get().queueTransaction(open(store.get(), sequencer), transaction.onCommit(() -> order.add(number)));
        for (RandomOperations.Touched touched : operations.touched()) {
            compareObject(touched.collection(), touched.object());
        }
    }

    private void compareObject(CollectionId id, ObjectId object) {
        Collection left = model.openCollection(id);
        if (left != null) {
            StoreComparator.compareObject(left, open(store.get(), id), object);
        } else if (store.get().openCollection(id) != null) {
            throw new AssertionError("collection " + id + " should be gone");
        }
    }

    private void checkRemount() {
        note("remount");
        closeSnapshot();
        remount.run();
        queued.forEach((id, numbers) -> {
            ConcurrentLinkedQueue<Integer> ran = committed.get(id);
            if (ran == null || !numbers.equals(List.copyOf(ran))) {
                throw new AssertionError("commit callbacks on " + id + ": expected " + numbers + ", ran " + ran);
            }
        });
        queued.clear();
        committed.clear();
        StoreComparator.compare(model, store.get());
    }

    private void checkRandomRead() {
        CollectionId id = operations.anyCollection();
        ObjectId object = operations.anyObject(id);
        Collection left = open(model, id);
        if (object == null) {
            return;
        }
        Collection right = open(store.get(), id);
        long size = left.stat(object).sizeBytes();
        long offset = random.nextLong(size + 5000);
        long length = random.nextLong(size + 5000);
        String where = "read " + object + " in " + id + " " + offset + "~" + length;
        note(where);
        StoreComparator.compareData(where, left.read(object, offset, length), right.read(object, offset, length));
        StoreComparator.checkFiemap(right, object, offset, length);
        Extent[] extents = new Extent[random.nextInt(4)];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = new Extent(random.nextLong(size + 5000), random.nextLong(20_000));
        }
        StoreComparator.compareData(
                where + " in extents " + List.of(extents),
                MemorySegmentSink.read(left, object, extents),
                MemorySegmentSink.read(right, object, extents));
        checkOmapSeeks(where, left, right, object);
    }

    private void checkOmapSeeks(String where, Collection left, Collection right, ObjectId object) {
        TreeMap<ByteString, ByteString> entries =
                new TreeMap<>(left.omap(object).entries());
        try (OmapIterator iterator = StoreUnderTest.iterator(right, object)) {
            for (int i = 0; i < 3; i++) {
                ByteString key = operations.anyKey();
                boolean inclusive = random.nextBoolean();
                if (inclusive) {
                    iterator.lowerBound(key);
                } else {
                    iterator.upperBound(key);
                }
                StoreComparator.checkEntries(
                        where + " from " + key + " inclusive=" + inclusive,
                        entries.tailMap(key, inclusive),
                        StoreUnderTest.rest(iterator));
            }
        }
        Set<ByteString> keys = new TreeSet<>(List.of(
                operations.anyKey(),
                operations.anyKey().equals(ByteString.EMPTY) ? ByteString.of("none") : ByteString.EMPTY));
        if (!left.omapExistingKeys(object, keys).equals(right.omapExistingKeys(object, keys))) {
            throw new AssertionError(where + ": existing of " + keys + " differ");
        }
    }

    private void checkListing() {
        CollectionId id = operations.anyCollection();
        ObjectId start = operations.anyName(id);
        ObjectId end = random.nextInt(3) == 0 ? ObjectId.MAX : operations.anyName(id);
        int max = random.nextInt(20);
        note("list " + id + " from " + start + " to " + end + " max " + max);
        Listing expected = open(model, id).list(start, end, max);
        Listing actual = open(store.get(), id).list(start, end, max);
        if (!expected.equals(actual)) {
            throw new AssertionError("listing of " + id + ": expected " + expected + ", got " + actual);
        }
    }

    private void renewSnapshot() {
        closeSnapshot();
        CollectionId id = operations.anyCollection();
        ObjectId object = operations.anyObject(id);
        if (object == null) {
            return;
        }
        note("iterator over " + object + " in " + id);
        snapshot = new Snapshot(
                StoreUnderTest.iterator(open(store.get(), id), object),
                open(model, id).omap(object),
                "iterator of step " + step + " over " + object + " in " + id);
    }

    private void closeSnapshot() {
        Snapshot open = snapshot;
        snapshot = null;
        if (open == null) {
            return;
        }
        try (OmapIterator iterator = open.iterator()) {
            iterator.seekToFirst();
            StoreComparator.checkEntries(open.where(), open.expected().entries(), StoreUnderTest.rest(iterator));
        }
    }

    private static Collection open(ObjectStore store, CollectionId id) {
        Collection collection = store.openCollection(id);
        if (collection == null) {
            throw new AssertionError("no collection " + id);
        }
        return collection;
    }

    private void note(String what) {
        if (trace.size() == TRACE) {
            trace.removeFirst();
        }
        trace.add(step + ": " + what);
    }

    private static String describe(Transaction transaction) {
        List<String> parts = new ArrayList<>();
        for (Operation operation : transaction.operations()) {
            String text = operation.toString();
            parts.add(text.length() > 300 ? text.substring(0, 300) + "..." : text);
        }
        return String.join("; ", parts);
    }
}
