package org.ustore.objectstore.testkit;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.Payload;
import org.ustore.objectstore.Transaction;

/**
 * Draws operations that are legal where they stand, and applies each to the model at once.
 *
 * <p>Collections: meta; one PG of pool 1 that is split and merged all along, up to 8 PGs; one shard of an erasure-coded
 * PG of pool 2. Few names with few hashes, so that operations meet.
 */
final class RandomOperations {
    /** An object an operation named. */
    record Touched(CollectionId collection, ObjectId object) {}

    private static final int MAX_BITS = 3;
    private static final int NAMES = 14;
    private static final int KEYS = 60;
    private static final CollectionId ERASURE = CollectionId.pg(2, 1, (byte) 1);
    private static final int[] EDGES = {1, 511, 4095, 4096, 4097, 8192, 65_535, 65_536, 1 << 20, (1 << 20) + 1};

    private final Random random;
    private final RandomHistory.Profile profile;
    private final ObjectStore model;
    private final List<ByteString> names = new ArrayList<>();
    private final List<ByteString> keys = new ArrayList<>();
    private final Set<Touched> touched = new LinkedHashSet<>();
    private int salt;

    RandomOperations(Random random, RandomHistory.Profile profile, ObjectStore model) {
        this.random = random;
        this.profile = profile;
        this.model = model;
        for (int i = 0; i < NAMES; i++) {
            names.add(ByteString.of("object-" + i + (i % 5 == 4 ? "a".repeat(400) : i % 5 == 3 ? "\0/\u00ff" : "")));
        }
        keys.add(ByteString.EMPTY);
        for (int i = 1; i < KEYS; i++) {
            byte[] key = new byte[1 + random.nextInt(i % 9 == 0 ? 300 : 6)];
            random.nextBytes(key);
            keys.add(i % 2 == 0 ? ByteString.wrap(key) : ByteString.of("key-" + i % 7 + "-" + i));
        }
    }

    /** The transaction that makes the collections. */
    Transaction start() {
        Transaction start = new Transaction();
        add(start, new Operation.MakeCollection(CollectionId.META, 0));
        add(start, new Operation.MakeCollection(CollectionId.pg(1, 0), 0));
        add(start, new Operation.MakeCollection(ERASURE, 1));
        return start;
    }

    /** Draws a transaction of {@code count} operations, a few more where one needs company. */
    Transaction next(int count) {
        touched.clear();
        Transaction transaction = new Transaction();
        for (int i = 0; i < count; i++) {
            draw(transaction);
        }
        return transaction;
    }

    /** What the last transaction named. */
    Set<Touched> touched() {
        return touched;
    }

    CollectionId anyCollection() {
        List<CollectionId> all = model.listCollections();
        return all.get(random.nextInt(all.size()));
    }

    ByteString anyKey() {
        return keys.get(random.nextInt(KEYS));
    }

    /** An existing object of the collection, or null if it has none. */
    @Nullable ObjectId anyObject(CollectionId id) {
        Collection collection = open(id);
        ObjectId near = anyName(id);
        List<ObjectId> found = collection.list(near, ObjectId.MAX, 1).objects();
        if (found.isEmpty()) {
            found = collection.list(ObjectId.MIN, ObjectId.MAX, 1).objects();
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    /** A name that belongs in the collection. */
    ObjectId anyName(CollectionId id) {
        int number = random.nextInt(NAMES);
        // Low bits decide the PG, and there are few enough others that hashes collide.
        int hash = (number * 5 & 0xff) | (number % 3 << 30);
        if (!id.isMeta()) {
            int mask = (1 << open(id).bits()) - 1;
            hash = (hash & ~mask) | (id.seed() & mask);
        }
        boolean temporary = !id.isMeta() && random.nextInt(8) == 0;
        long pool = id.isMeta() ? ObjectId.POOL_META : temporary ? -2 - id.pool() : id.pool();
        return new ObjectId(
                id.shard(),
                pool,
                hash,
                ByteString.of(number % 7 == 0 ? "space" : ""),
                ByteString.of(number % 6 == 0 ? "locator" : ""),
                names.get(number),
                snap(),
                id.equals(ERASURE) && random.nextInt(3) == 0 ? random.nextInt(3) : ObjectId.NO_GENERATION,
                false,
                false);
    }

    private long snap() {
        return switch (random.nextInt(12)) {
            case 0 -> ObjectId.SNAPDIR;
            case 1, 2, 3, 4 -> 1 + random.nextInt(3);
            default -> ObjectId.HEAD;
        };
    }

    private Collection open(CollectionId id) {
        Collection collection = model.openCollection(id);
        if (collection == null) {
            throw new AssertionError("no collection " + id);
        }
        return collection;
    }

    private void draw(Transaction t) {
        CollectionId id = anyCollection();
        ObjectId existing = anyObject(id);
        ObjectId o = existing != null && random.nextInt(3) > 0 ? existing : anyName(id);
        int dice = random.nextInt(100);
        if (dice < 30) {
            add(t, new Operation.Write(id, o, offset(), payload()));
        } else if (dice < 60) {
            drawData(t, id, o, random.nextInt(8));
        } else if (dice < 72) {
            drawAttributes(t, id, o, random.nextInt(4));
        } else if (dice < 88) {
            drawOmap(t, id, o, random.nextInt(6));
        } else if (dice < 97) {
            drawRename(t, id, o);
        } else {
            drawCollection(t);
        }
    }

    private void drawData(Transaction t, CollectionId id, ObjectId o, int which) {
        switch (which) {
            case 0 -> add(t, new Operation.Touch(id, o));
            case 1 -> add(t, new Operation.Zero(id, o, offset(), length()));
            case 2 -> add(t, new Operation.Truncate(id, o, offset()));
            case 3 -> add(t, new Operation.Remove(id, o));
            case 4, 5 -> drawClone(t, id, o);
            case 6 -> drawCloneRange(t, id, o);
            default -> add(t, new Operation.SetAllocationHint(id, o, 4 << 20, 1 << 16, random.nextInt(64)));
        }
    }

    private void drawClone(Transaction t, CollectionId id, ObjectId source) {
        ObjectId target = source.withSnap(snap());
        if (target.equals(source)) {
            target = source.withSnap(9);
        }
        if (open(id).exists(source)) {
            add(t, new Operation.Clone(id, source, target));
        }
    }

    private void drawCloneRange(Transaction t, CollectionId id, ObjectId source) {
        if (!open(id).exists(source)) {
            return;
        }
        long offset = offset();
        long length = length();
        long targetOffset = random.nextBoolean() ? offset : offset();
        ObjectId target = anyName(id);
        boolean apart = offset + length <= targetOffset || targetOffset + length <= offset;
        if (!target.equals(source) || apart) {
            add(t, new Operation.CloneRange(id, source, target, offset, length, targetOffset));
        }
    }

    private void drawAttributes(Transaction t, CollectionId id, ObjectId o, int which) {
        ByteString name = ByteString.of("attr-" + random.nextInt(6));
        switch (which) {
            case 0 -> add(t, new Operation.RemoveAttribute(id, o, name));
            case 1 -> {
                if (random.nextInt(3) == 0) {
                    add(t, new Operation.RemoveAllAttributes(id, o));
                }
            }
            default -> {
                Map<ByteString, ByteString> values = new TreeMap<>();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    values.put(
                            ByteString.of("attr-" + random.nextInt(6)), value(random.nextInt(20) == 0 ? 70_000 : 300));
                }
                add(t, new Operation.SetAttributes(id, o, values));
            }
        }
    }

    private void drawOmap(Transaction t, CollectionId id, ObjectId o, int which) {
        switch (which) {
            case 0 -> {
                if (random.nextInt(4) == 0) {
                    add(t, new Operation.OmapClear(id, o));
                }
            }
            case 1 -> add(t, new Operation.OmapRemoveKeys(id, o, new TreeSet<>(List.of(anyKey(), keys.get(3)))));
            case 2 -> add(t, new Operation.OmapRemoveKeyRange(id, o, anyKey(), anyKey()));
            case 3 -> add(t, new Operation.OmapSetHeader(id, o, value(200)));
            default -> {
                Map<ByteString, ByteString> entries = new TreeMap<>();
                for (int i = random.nextInt(12); i > 0; i--) {
                    entries.put(anyKey(), value(random.nextInt(30) == 0 ? 9000 : 60));
                }
                add(t, new Operation.OmapSetKeys(id, o, entries));
            }
        }
    }

    private void drawRename(Transaction t, CollectionId id, ObjectId source) {
        CollectionId targetCollection = profile.renameAcross() && random.nextInt(4) == 0 ? anyCollection() : id;
        ObjectId target = anyName(targetCollection);
        if (targetCollection.equals(id) && target.equals(source)) {
            return;
        }
        if (open(id).exists(source) && open(targetCollection).exists(target)) {
            add(t, new Operation.Remove(targetCollection, target));
        }
        add(t, new Operation.Rename(id, source, targetCollection, target));
    }

    private void drawCollection(Transaction t) {
        List<CollectionId> groups =
                model.listCollections().stream().filter(id -> id.pool() == 1).toList();
        CollectionId id = groups.get(random.nextInt(groups.size()));
        int bits = open(id).bits();
        CollectionId sibling = bits == 0 ? id : CollectionId.pg(1, id.seed() ^ 1 << (bits - 1));
        boolean mergeable =
                bits > 0 && groups.contains(sibling) && open(sibling).bits() == bits;
        if (mergeable && random.nextBoolean()) {
            CollectionId low = id.seed() < sibling.seed() ? id : sibling;
            CollectionId high = low.equals(id) ? sibling : id;
            add(t, new Operation.MergeCollection(high, low, bits - 1));
        } else if (bits < MAX_BITS) {
            CollectionId child = CollectionId.pg(1, id.seed() | 1 << bits);
            add(t, new Operation.MakeCollection(child, bits + 1));
            add(t, new Operation.SplitCollection(id, child, bits + 1, child.seed()));
        } else {
            add(t, new Operation.SetCollectionBits(id, bits));
        }
    }

    private void add(Transaction transaction, Operation operation) {
        transaction.add(operation);
        noteObjects(operation);
        Collection sequencer = model.openCollection(CollectionId.META);
        model.queueTransaction(
                sequencer == null ? model.createNewCollection(CollectionId.META) : sequencer,
                new Transaction().add(operation));
    }

    private void noteObjects(Operation operation) {
        CollectionId id = operation.collection();
        switch (operation) {
            case Operation.Touch op -> touched.add(new Touched(id, op.object()));
            case Operation.Write op -> touched.add(new Touched(id, op.object()));
            case Operation.Zero op -> touched.add(new Touched(id, op.object()));
            case Operation.Truncate op -> touched.add(new Touched(id, op.object()));
            case Operation.Remove op -> touched.add(new Touched(id, op.object()));
            case Operation.SetAttributes op -> touched.add(new Touched(id, op.object()));
            case Operation.RemoveAttribute op -> touched.add(new Touched(id, op.object()));
            case Operation.RemoveAllAttributes op -> touched.add(new Touched(id, op.object()));
            case Operation.OmapClear op -> touched.add(new Touched(id, op.object()));
            case Operation.OmapSetKeys op -> touched.add(new Touched(id, op.object()));
            case Operation.OmapRemoveKeys op -> touched.add(new Touched(id, op.object()));
            case Operation.OmapRemoveKeyRange op -> touched.add(new Touched(id, op.object()));
            case Operation.OmapSetHeader op -> touched.add(new Touched(id, op.object()));
            case Operation.SetAllocationHint op -> touched.add(new Touched(id, op.object()));
            case Operation.Clone op -> {
                touched.add(new Touched(id, op.source()));
                touched.add(new Touched(id, op.target()));
            }
            case Operation.CloneRange op -> {
                touched.add(new Touched(id, op.source()));
                touched.add(new Touched(id, op.target()));
            }
            case Operation.Rename op -> {
                touched.add(new Touched(id, op.source()));
                touched.add(new Touched(op.targetCollection(), op.target()));
            }
            case Operation.MakeCollection _,
                    Operation.RemoveCollection _,
                    Operation.SetCollectionBits _,
                    Operation.SplitCollection _,
                    Operation.MergeCollection _ -> {}
        }
    }

    private long offset() {
        int limit = profile.maxObjectBytes() - profile.maxWriteBytes();
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> Math.min(limit, EDGES[random.nextInt(EDGES.length)]);
            case 2 -> (long) random.nextInt(limit / 4096) * 4096;
            case 3 -> random.nextInt(limit);
            default -> random.nextInt(Math.min(limit, 40_000));
        };
    }

    private int length() {
        return switch (random.nextInt(6)) {
            case 0 -> Math.min(profile.maxWriteBytes(), EDGES[random.nextInt(EDGES.length)]);
            case 1 -> random.nextInt(profile.maxWriteBytes());
            case 2 -> random.nextInt(8) == 0 ? 0 : 4096 * (1 + random.nextInt(8));
            default -> random.nextInt(6000);
        };
    }

    private Payload payload() {
        byte[] data = StoreUnderTest.pattern(salt++, length());
        List<MemorySegment> pieces = new ArrayList<>();
        int at = 0;
        while (at < data.length) {
            int n = random.nextInt(3) == 0 ? 1 + random.nextInt(data.length - at) : data.length - at;
            pieces.add(MemorySegment.ofArray(data).asSlice(at, n));
            at += n;
        }
        return Payload.of(pieces);
    }

    private ByteString value(int limit) {
        return ByteString.wrap(StoreUnderTest.pattern(salt++, random.nextInt(limit)));
    }
}
