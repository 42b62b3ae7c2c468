package org.ustore.engine.container.tree;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.ustore.engine.container.Checkpoint;
import org.ustore.engine.container.KeyIterator;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.Snapshot;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.FileBlockDevice;
import org.ustore.engine.device.IoMode;

/**
 * Figures of the tree, by hand: {@code TreeBenchmark FILE [OBJECTS OMAP_KEYS CACHE_MIB]}.
 *
 * <p>Small: 500 K keys that fit in the cache. Then, with the arguments, onode-like keys and omap keys on a smaller cache.
 */
public final class TreeBenchmark {
    private static final int BLOCKS = 4 << 20;
    private static final int OPERATIONS_PER_BATCH = 5;

    /** Whether to measure the thread's CPU time, for a machine shared with others. */
    private static final boolean CPU = Boolean.getBoolean("cpu");

    private final Path file;

    private TreeBenchmark(Path file) {
        this.file = file;
    }

    /** Runs all. */
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        TreeBenchmark benchmark = new TreeBenchmark(file);
        if (args.length == 1) {
            benchmark.cached(1);
            benchmark.cached(OPERATIONS_PER_BATCH);
        } else {
            benchmark.large(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Long.parseLong(args[3]) << 20);
        }
        Files.delete(file);
    }

    private BlockDevice newDevice() throws Exception {
        Files.deleteIfExists(file);
        FileBlockDevice.create(file, (long) BLOCKS * BlockDevice.BLOCK_BYTES);
        return FileBlockDevice.open(file, false, IoMode.AUTO);
    }

    /** Nanoseconds. */
    private static long now() {
        return CPU ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() : System.nanoTime();
    }

    private static void report(String what, long operations, long nanos) {
        System.out.printf(
                Locale.ROOT,
                "%-34s %,12d in %8.2f s  %,12.0f/s  %6d ns%n",
                what,
                operations,
                nanos / 1e9,
                operations * 1e9 / nanos,
                nanos / Math.max(1, operations));
    }

    private static byte[] key(byte[] into, long number) {
        // 8 bytes of scattered hash, then the number as text: like an object's name behind its hash.
        long hash = Long.reverse(number * 0x9e3779b97f4a7c15L);
        for (int i = 0; i < 8; i++) {
            into[i] = (byte) (hash >>> (56 - 8 * i));
        }
        for (int i = into.length - 1, n = (int) number; i >= 8; i--, n /= 10) {
            into[i] = (byte) ('0' + n % 10);
        }
        return into;
    }

    private void cached(int perBatch) throws Exception {
        int keys = 500_000;
        byte[] key = new byte[32];
        byte[] value = new byte[100];
        Random random = new Random(1);
        try (BlockDevice device = newDevice()) {
            TreeStore store = TreeStore.open(device, new BlockMap(BLOCKS, true), 1L << 30, RootRef.EMPTY);
            WriteBatch batch = new WriteBatch();
            for (int round = 0; round < 4; round++) {
                long start = now();
                for (int i = 0; i < keys; ) {
                    batch.clear();
                    for (int j = 0; j < perBatch; j++, i++) {
                        batch.put(key(key, round == 0 ? i : random.nextInt(keys)), value);
                    }
                    store.apply(batch);
                }
                report(
                        round == 0 ? "insert, batches of " + perBatch : "update, batches of " + perBatch,
                        keys,
                        now() - start);
            }
            for (int round = 0; round < 3; round++) {
                long start = now();
                long found = 0;
                for (int i = 0; i < 2 * keys; i++) {
                    byte[] got = store.get(key(key, random.nextInt(keys)));
                    found += got == null ? 0 : 1;
                }
                report("get, found " + found, 2L * keys, now() - start);
            }
            scan(store);
            long start = now();
            Checkpoint checkpoint = store.beginCheckpoint();
            long begun = now();
            checkpoint.write();
            checkpoint.installed();
            report("checkpoint: begin", 1, begun - start);
            report("checkpoint: write", 1, now() - begun);
            for (int round = 0; round < 3; round++) {
                start = now();
                for (int i = 0; i < keys; i += 5) {
                    try (Snapshot _ = store.snapshot()) {
                        batch.clear();
                        for (int j = 0; j < 5; j++) {
                            batch.put(key(key, random.nextInt(keys)), value);
                        }
                        store.apply(batch);
                    }
                    store.work(100);
                }
                report("update by 5, a snapshot before each", keys, now() - start);
            }
        }
    }

    private static void scan(TreeStore store) {
        long start = now();
        long n = 0;
        try (Snapshot snapshot = store.snapshot()) {
            KeyIterator walk = snapshot.iterator();
            for (walk.next(); walk.valid(); walk.next()) {
                n += walk.value().length > 0 ? 1 : 0;
            }
        }
        report("scan", n, now() - start);
    }

    private void large(int objects, int omapKeys, long cacheBytes) throws Exception {
        try (BlockDevice device = newDevice()) {
            BlockMap space = new BlockMap(BLOCKS, true);
            TreeStore store = TreeStore.open(device, space, cacheBytes, RootRef.EMPTY);
            long begun = now();
            Load load = new Load(store);
            load.fill("onode of 300 bytes, insert", objects, 300, false);
            load.fill("omap of 80 bytes, insert", omapKeys, 80, true);
            load.root = load.checkpoint();
            System.out.printf(Locale.ROOT, "pages %,d MiB, size %,d%n", space.usedBlocks() / 256, store.size());
            report("all of it", store.size(), now() - begun);
            load.gets(objects, 100_000);
            scan(store);
            load.deleteRange(1_000_000);
            load.root = load.checkpoint();
            BlockMap rebuilt = new BlockMap(BLOCKS, true);
            long start = now();
            TreeStore again = TreeStore.open(device, rebuilt, cacheBytes, load.root);
            again.forEachPage(rebuilt::take);
            report("open and walk, pages read " + again.pageReads(), rebuilt.usedBlocks() / 2, now() - start);
            start = now();
            long[] errors = {0};
            long pages = again.verify(e -> {
                errors[0]++;
                System.out.println(e);
            });
            report("verify, errors " + errors[0], pages, now() - start);
        }
    }

    /** A store being filled, checkpoints on demand. */
    private static final class Load {
        private final TreeStore store;
        private final Random random = new Random(7);
        private RootRef root = RootRef.EMPTY;
        private long worstApply;
        private long worstWork;
        private long checkpointNanos;
        private int checkpoints;

        Load(TreeStore store) {
            this.store = store;
        }

        RootRef checkpoint() {
            long start = now();
            Checkpoint checkpoint = store.beginCheckpoint();
            RootRef written = checkpoint.write();
            checkpoint.installed();
            checkpointNanos += now() - start;
            checkpoints++;
            while (work() > 0) {
                // To the end: nothing else goes on here.
            }
            return written;
        }

        private int work() {
            long start = now();
            int done = store.work(200);
            worstWork = Math.max(worstWork, now() - start);
            return done;
        }

        void fill(String what, int keys, int valueBytes, boolean omap) {
            byte[] key = new byte[omap ? 26 : 40];
            byte[] value = new byte[valueBytes];
            WriteBatch batch = new WriteBatch();
            long start = now();
            worstApply = 0;
            for (int i = 0; i < keys; ) {
                batch.clear();
                for (int j = 0; j < 10; j++, i++) {
                    random.nextBytes(value);
                    batch.put(omap ? omapKey(key, i) : key(key, i), value);
                }
                long before = now();
                store.apply(batch);
                worstApply = Math.max(worstApply, now() - before);
                if (store.wantsCheckpoint()) {
                    root = checkpoint();
                }
            }
            report(what, keys, now() - start);
            memory();
        }

        /** Keys of 1,000 objects, each ascending: the object's number, then the key. */
        private static byte[] omapKey(byte[] into, int number) {
            into[0] = (byte) 0xff;
            long object = number % 1000;
            long key = number / 1000;
            for (int i = 0; i < 8; i++) {
                into[1 + i] = (byte) (object >>> (56 - 8 * i));
            }
            for (int i = into.length - 1; i > 8; i--, key /= 10) {
                into[i] = (byte) ('0' + key % 10);
            }
            return into;
        }

        void memory() {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long collections = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                collections += bean.getCollectionTime();
            }
            System.out.printf(
                    Locale.ROOT,
                    "   heap %,d MiB, cache %,d MiB, dirty %,d MiB, checkpoints %d in %.1f s, worst apply %.1f ms, worst work(200) %.1f ms, gc %.1f s%n",
                    (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                    store.cacheBytes() >> 20,
                    store.dirtyBytes() >> 20,
                    checkpoints,
                    checkpointNanos / 1e9,
                    worstApply / 1e6,
                    worstWork / 1e6,
                    collections / 1e3);
        }

        void gets(int objects, int count) {
            byte[] key = new byte[40];
            long start = now();
            long reads = store.pageReads();
            for (int i = 0; i < count; i++) {
                if (store.get(key(key, random.nextInt(objects))) == null) {
                    throw new AssertionError("lost");
                }
            }
            report("random get, pages read " + (store.pageReads() - reads), count, now() - start);
        }

        void deleteRange(int keys) {
            byte[] from = omapKey(new byte[26], 0).clone();
            byte[] to = omapKey(new byte[26], keys / 10_000).clone();
            long before = store.size();
            long reads = store.pageReads();
            worstApply = 0;
            worstWork = 0;
            long start = now();
            store.apply(new WriteBatch().deleteRange(from, to));
            long applied = now();
            report("delete range: apply", before - store.size(), applied - start);
            while (work() > 0) {
                // All of it.
            }
            report("delete range: work, pages read " + (store.pageReads() - reads), 1, now() - applied);
            memory();
        }
    }
}
