package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ustore.objectstore.testkit.StoreUnderTest.await;
import static org.ustore.objectstore.testkit.StoreUnderTest.bytes;
import static org.ustore.objectstore.testkit.StoreUnderTest.concat;
import static org.ustore.objectstore.testkit.StoreUnderTest.entries;
import static org.ustore.objectstore.testkit.StoreUnderTest.object;
import static org.ustore.objectstore.testkit.StoreUnderTest.pattern;
import static org.ustore.objectstore.testkit.StoreUnderTest.slice;
import static org.ustore.objectstore.testkit.StoreUnderTest.zeros;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.Transaction;

/** Order, visibility and callbacks of transactions. */
interface TransactionContract extends StoreUnderTest {

    @Test
    @DisplayName("C8.ops-in-order: operations of one transaction see each other")
    default void operationsSeeEachOther() {
        ObjectId o = object("o");
        ObjectId snap = o.withSnap(1);
        ObjectId other = object("other");
        ObjectId renamed = object("renamed");
        apply(new Transaction()
                .write(PG, o, 0, pattern(1, 10_000))
                .clone(PG, o, snap)
                .write(PG, o, 5000, pattern(2, 1000))
                .cloneRange(PG, o, other, 4500, 1000, 100)
                .setAttributes(PG, other, entries("a", "b"))
                .rename(PG, other, renamed)
                .truncate(PG, o, 5500)
                .write(PG, other, 0, pattern(3, 3)));
        byte[] state = pattern(1, 10_000);
        assertThat(readAll(snap)).isEqualTo(state);
        System.arraycopy(pattern(2, 1000), 0, state, 5000, 1000);
        assertThat(readAll(o)).isEqualTo(slice(state, 0, 5500));
        assertThat(readAll(renamed)).isEqualTo(concat(zeros(100), slice(state, 4500, 1000)));
        assertThat(pg().attributes(renamed)).isEqualTo(entries("a", "b"));
        assertThat(readAll(other)).isEqualTo(pattern(3, 3));
        assertThat(pg().attributes(other)).isEmpty();
    }

    @Test
    @DisplayName("C8.callback-order: each kind of callback fires in the order of submission, applied before commit")
    default void callbackOrder() {
        List<String> sync = new CopyOnWriteArrayList<>();
        List<String> applied = new CopyOnWriteArrayList<>();
        List<String> committed = new CopyOnWriteArrayList<>();
        List<String> expected = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(200);
        List<String> early = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 100; i++) {
            String name = String.format("%03d", i);
            expected.add(name);
            apply(new Transaction()
                    .write(PG, object("o"), i, pattern(i, 100))
                    .onAppliedSync(() -> sync.add(name))
                    .onApplied(() -> {
                        applied.add(name);
                        done.countDown();
                    })
                    .onCommit(() -> {
                        if (!applied.contains(name)) {
                            early.add(name);
                        }
                        committed.add(name);
                        done.countDown();
                    }));
            assertThat(sync).isEqualTo(expected);
        }
        await(done);
        assertThat(applied).isEqualTo(expected);
        assertThat(committed).isEqualTo(expected);
        assertThat(early).as("committed before applied").isEmpty();
    }

    @Test
    @DisplayName("C8.callback-threads: applied-sync runs on the queueing thread, the others never")
    default void callbackThreads() {
        Map<String, Thread> threads = new ConcurrentHashMap<>();
        CountDownLatch done = new CountDownLatch(2);
        apply(new Transaction()
                .touch(PG, object("o"))
                .onAppliedSync(() -> threads.put("sync", Thread.currentThread()))
                .onApplied(() -> {
                    threads.put("applied", Thread.currentThread());
                    done.countDown();
                })
                .onCommit(() -> {
                    threads.put("commit", Thread.currentThread());
                    done.countDown();
                }));
        await(done);
        assertThat(threads.get("sync")).isSameAs(Thread.currentThread());
        assertThat(threads.get("applied")).isNotSameAs(Thread.currentThread());
        assertThat(threads.get("commit")).isNotSameAs(Thread.currentThread());
    }

    @Test
    @DisplayName("C8.empty-transaction: fires its commit callback")
    default void emptyTransaction() {
        CountDownLatch done = new CountDownLatch(2);
        store().queueTransactions(
                        pg(),
                        List.of(
                                new Transaction().onCommit(done::countDown),
                                new Transaction().onCommit(done::countDown)));
        await(done);
    }

    @Test
    @DisplayName("C8.vector: transactions of one call are applied in order")
    default void vectorOfTransactions() {
        List<Transaction> vector = new ArrayList<>();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(10);
        for (int i = 0; i < 10; i++) {
            int n = i;
            vector.add(new Transaction()
                    .write(PG, object("o"), 0, pattern(i, 100 - i))
                    .onCommit(() -> {
                        order.add(n);
                        done.countDown();
                    }));
        }
        store().queueTransactions(pg(), vector);
        assertThat(pg().read(object("o"), 0, 91)).isEqualTo(pattern(9, 91));
        await(done);
        assertThat(order).isSorted();
    }

    @Test
    @DisplayName("B4.read-in-callback: callbacks may read and queue more")
    default void callbacksReadAndQueue() {
        CountDownLatch done = new CountDownLatch(2);
        List<Object> seen = new CopyOnWriteArrayList<>();
        ObjectId o = object("o");
        Collection collection = pg();
        apply(new Transaction().write(PG, o, 0, pattern(1, 5000)).onApplied(() -> {
            seen.add(collection.read(o, 0, 0));
            store().queueTransaction(
                            collection,
                            new Transaction()
                                    .write(PG, object("second"), 0, pattern(2, 10))
                                    .onCommit(done::countDown));
            done.countDown();
        }));
        await(done);
        assertThat(seen).hasSize(1);
        assertThat(seen.getFirst()).isEqualTo(pattern(1, 5000));
        assertThat(readAll(object("second"))).isEqualTo(pattern(2, 10));
    }

    @Test
    @DisplayName("C8.failing-callback: a callback that throws keeps no other from running")
    default void callbackThatThrows() {
        CountDownLatch done = new CountDownLatch(2);
        apply(new Transaction()
                .touch(PG, object("o"))
                .onApplied(() -> {
                    throw new IllegalStateException("thrown by the test on purpose");
                })
                .onCommit(done::countDown));
        apply(new Transaction().touch(PG, object("p")).onCommit(done::countDown));
        await(done);
    }

    @Test
    @DisplayName("C8.flush: all that was queued can be read")
    default void flush() {
        apply(new Transaction().write(PG, object("o"), 0, pattern(1, 100)));
        pg().flush();
        assertThat(readAll(object("o"))).isEqualTo(pattern(1, 100));
    }

    @Test
    @DisplayName("C8.flush-commit-idle: true and no callback when all is durable")
    default void flushCommitWhenIdle() {
        commit(pg(), new Transaction().touch(PG, object("o")));
        // The commit callback runs a moment before the store counts the transaction as done.
        for (CountDownLatch latch = new CountDownLatch(1);
                !pg().flushCommit(latch::countDown);
                latch = new CountDownLatch(1)) {
            await(latch);
        }
        assertThat(pg().flushCommit(() -> {
                    throw new AssertionError("must not run");
                }))
                .isTrue();
    }

    @Test
    @DisplayName("C8.flush-commit: otherwise it runs after the commit callbacks before it, on another thread")
    default void flushCommitWhenBusy() {
        Thread queueing = Thread.currentThread();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        apply(new Transaction().touch(PG, object("o")).onCommit(() -> {
            await(release);
            order.add("first");
        }));
        apply(new Transaction().touch(PG, object("p")).onCommit(() -> order.add("second")));
        boolean durable = pg().flushCommit(() -> {
            order.add(Thread.currentThread() == queueing ? "flushed by the queueing thread" : "flushed");
            done.countDown();
        });
        assertThat(durable).isFalse();
        release.countDown();
        await(done);
        assertThat(order).containsExactly("first", "second", "flushed");
    }

    @Test
    @DisplayName("C8.parallel: many threads on many collections; each sees its own writes, commits stay in order")
    default void parallelCollections() throws InterruptedException, ExecutionException {
        int threads = 8;
        int rounds = 150;
        CountDownLatch done = new CountDownLatch(threads * rounds);
        List<List<Integer>> commits = new ArrayList<>();
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int n = 0; n < threads; n++) {
                List<Integer> order = new CopyOnWriteArrayList<>();
                commits.add(order);
                CollectionId id = CollectionId.pg(20 + n, 0);
                running.add(pool.submit(() -> writeAndCheck(id, rounds, order, done)));
            }
        }
        for (Future<?> one : running) {
            one.get();
        }
        await(done);
        assertThat(commits)
                .allSatisfy(order -> assertThat(order).hasSize(rounds).isSorted());
        remount();
        for (int n = 0; n < threads; n++) {
            CollectionId id = CollectionId.pg(20 + n, 0);
            assertThat(StoreUnderTest.listAll(open(id), 10)).hasSize(7);
            for (int i = rounds - 7; i < rounds; i++) {
                ObjectId o = ObjectId.head(id.pool(), i % 7, bytes("o" + i % 7));
                assertThat(open(id).read(o, i * 111L, 3000)).isEqualTo(pattern(i + (int) id.pool(), 3000));
            }
        }
    }

    private void writeAndCheck(CollectionId id, int rounds, List<Integer> order, CountDownLatch done) {
        Collection collection = make(id, 0);
        for (int i = 0; i < rounds; i++) {
            int n = i;
            ObjectId o = ObjectId.head(id.pool(), i % 7, bytes("o" + i % 7));
            byte[] data = pattern(i + (int) id.pool(), 3000);
            store().queueTransaction(
                            collection,
                            new Transaction()
                                    .write(id, o, i * 111L, data)
                                    .omapSetKeys(id, o, entries("last", "" + i))
                                    .onCommit(() -> {
                                        order.add(n);
                                        done.countDown();
                                    }));
            assertThat(collection.read(o, i * 111L, 3000)).isEqualTo(data);
            assertThat(collection.omap(o).entries()).isEqualTo(entries("last", "" + i));
        }
    }

    @Test
    @DisplayName("C8.whole: readers of another thread never see half a transaction")
    default void readersSeeWholeTransactions() throws InterruptedException, ExecutionException {
        ObjectId o = object("o");
        apply(new Transaction().write(PG, o, 0, pattern(0, 20_000)));
        Collection collection = pg();
        CountDownLatch stop = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            Future<?> reader = pool.submit(() -> {
                while (stop.getCount() > 0) {
                    byte[] seen = collection.read(o, 0, 20_000);
                    int salt = saltOf(seen[0]);
                    assertThat(seen).isEqualTo(pattern(salt, 20_000));
                }
            });
            for (int i = 1; i <= 200; i++) {
                byte[] data = pattern(i % 10, 20_000);
                apply(new Transaction()
                        .write(PG, o, 0, slice(data, 0, 7000))
                        .write(PG, o, 7000, slice(data, 7000, 13_000)));
            }
            stop.countDown();
            reader.get();
        }
    }

    private static int saltOf(byte first) {
        for (int salt = 0; salt < 10; salt++) {
            if (pattern(salt, 1)[0] == first) {
                return salt;
            }
        }
        throw new AssertionError("no pattern starts with " + first);
    }
}
