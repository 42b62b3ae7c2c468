package org.ustore.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Transaction;
import org.ustore.objectstore.memory.MemoryObjectStore;

/**
 * An endless list of transactions, the same for the same seed, each of which can be applied to the state the ones before
 * it lead to. Each sets a marker to its number, so that any state tells which prefix of the list led to it.
 */
final class RandomTransactions {
    static final CollectionId PG = CollectionId.pg(3, 0);
    private static final CollectionId CHILD = CollectionId.pg(3, 1);
    private static final ObjectId MARKER = object(999);
    private static final ByteString MARKER_NAME = ByteString.of("applied");

    private final Random random;
    private final int maxWriteBytes;
    private final List<Transaction> made = new ArrayList<>();
    private final Set<Integer> alive = new TreeSet<>();
    private boolean split;

    RandomTransactions(long seed, int maxWriteBytes) {
        this.random = new Random(seed);
        this.maxWriteBytes = maxWriteBytes;
        made.add(new Transaction().makeCollection(PG, 0).touch(PG, MARKER));
    }

    private static ObjectId object(int number) {
        // All of one hash parity stay together in a split; clones need equal hashes.
        return ObjectId.head(3, 0x50, ByteString.of("o" + number));
    }

    /** A new transaction equal to the others of this number, without callbacks. */
    Transaction get(int number) {
        while (made.size() <= number) {
            made.add(next(made.size()));
        }
        return new Transaction().append(made.get(number));
    }

    /** How many transactions led to the state of {@code store}, 0 for none. */
    static int applied(ObjectStore store) {
        Collection pg = store.openCollection(PG);
        if (pg == null) {
            return 0;
        }
        ByteString number = pg.attributes(MARKER).get(MARKER_NAME);
        return number == null ? 1 : Integer.parseInt(number.toUtf8()) + 1;
    }

    /** The state that the first {@code count} transactions lead to. */
    MemoryObjectStore model(int count) {
        MemoryObjectStore model = new MemoryObjectStore();
        model.mkfs(new java.util.UUID(1, 2));
        model.mount();
        for (int i = 0; i < count; i++) {
            Collection pg = model.openCollection(PG);
            model.queueTransaction(pg == null ? model.createNewCollection(PG) : pg, get(i));
        }
        return model;
    }

    private Transaction next(int number) {
        Transaction transaction = new Transaction();
        int operations = 1 + random.nextInt(5);
        for (int i = 0; i < operations; i++) {
            add(transaction);
        }
        return transaction.setAttributes(PG, MARKER, Map.of(MARKER_NAME, ByteString.of(Integer.toString(number))));
    }

    private void add(Transaction t) {
        int number = random.nextInt(12);
        ObjectId object = object(number);
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> {
                t.write(PG, object, random.nextInt(40) * 4096L, data(4096 * (1 + random.nextInt(3))));
                alive.add(number);
            }
            case 3, 4 -> {
                t.write(PG, object, random.nextInt(200_000), data(random.nextInt(9000)));
                alive.add(number);
            }
            case 5, 6 -> {
                t.write(PG, object, random.nextInt(30) * 4096L, data(1 + random.nextInt(maxWriteBytes)));
                alive.add(number);
            }
            case 7 -> {
                t.zero(PG, object, random.nextInt(200_000), random.nextInt(100_000));
                alive.add(number);
            }
            case 8 -> t.truncate(PG, object, random.nextInt(250_000));
            case 9 -> {
                t.remove(PG, object);
                alive.remove(number);
            }
            case 10 -> addClone(t, number);
            case 11 -> addCloneRange(t, number);
            case 12 -> addRename(t, number);
            case 13 -> t.setAttribute(PG, object, key(), value(300));
            case 14 -> {
                t.touch(PG, object);
                alive.add(number);
                addOmap(t, object);
            }
            default -> addSplitOrMerge(t);
        }
    }

    private void addClone(Transaction t, int to) {
        int from = random.nextInt(12);
        if (alive.contains(from) && from != to) {
            t.clone(PG, object(from), object(to));
            alive.add(to);
        }
    }

    private void addCloneRange(Transaction t, int to) {
        int from = random.nextInt(12);
        if (alive.contains(from) && from != to) {
            boolean aligned = random.nextBoolean();
            long offset = aligned ? random.nextInt(20) * 4096L : random.nextInt(80_000);
            long target = aligned ? random.nextInt(20) * 4096L : random.nextInt(80_000);
            t.cloneRange(PG, object(from), object(to), offset, random.nextInt(150_000), target);
            alive.add(to);
        }
    }

    private void addRename(Transaction t, int from) {
        int to = random.nextInt(12);
        if (alive.contains(from) && !alive.contains(to)) {
            t.rename(PG, object(from), object(to));
            alive.remove(from);
            alive.add(to);
        }
    }

    private void addOmap(Transaction t, ObjectId object) {
        switch (random.nextInt(5)) {
            case 0 -> t.omapSetHeader(PG, object, value(50));
            case 1 -> t.omapRemoveKeys(PG, object, Set.of(key()));
            case 2 -> t.omapRemoveKeyRange(PG, object, key(), key());
            case 3 -> t.omapClear(PG, object);
            default -> {
                for (int i = 0; i < 10; i++) {
                    t.omapSetKeys(PG, object, Map.of(key(), value(200)));
                }
            }
        }
    }

    /** Both ways of the split keep all objects in the parent, whose even hash they share. */
    private void addSplitOrMerge(Transaction t) {
        if (split) {
            t.mergeCollection(CHILD, PG, 0);
        } else {
            t.makeCollection(CHILD, 1).splitCollection(PG, CHILD, 1, 1);
        }
        split = !split;
    }

    private byte[] data(int length) {
        byte[] data = new byte[length];
        random.nextBytes(data);
        return data;
    }

    private ByteString key() {
        return ByteString.of("key" + random.nextInt(200));
    }

    private ByteString value(int max) {
        return ByteString.wrap(data(random.nextInt(max)));
    }
}
