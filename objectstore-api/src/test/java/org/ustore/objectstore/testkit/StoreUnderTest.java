package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.OmapIterator;
import org.ustore.objectstore.Transaction;

/** The mounted store of one test, and the few verbs the tests are written in. */
interface StoreUnderTest {
    /** The collection every test finds in place: a PG of 0 bits, so objects of pool 1 with any hash belong to it. */
    CollectionId PG = CollectionId.pg(1, 0);

    /** How long a callback may take before the test gives up; a limit for failures, not a time that tests take. */
    long CALLBACK_SECONDS = 60;

    /** The store, mounted. */
    ObjectStore store();

    /** The handle of {@link #PG} in the present mount. */
    Collection pg();

    /** Unmounts and mounts again, in a fresh instance where the store has storage of its own. */
    void remount();

    static ObjectId object(String name) {
        return ObjectId.head(1, name.hashCode() * 0x9e3779b1, ByteString.of(name));
    }

    static ByteString bytes(String text) {
        return ByteString.of(text);
    }

    /** {@code length} bytes that differ from block to block and from {@code salt} to salt. */
    static byte[] pattern(int salt, int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) ((i ^ (i >> 8) * 31) * 7 + salt * 101 + 1);
        }
        return data;
    }

    static byte[] zeros(int length) {
        return new byte[length];
    }

    static byte[] concat(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    static Map<ByteString, ByteString> entries(String... keysAndValues) {
        Map<ByteString, ByteString> map = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(bytes(keysAndValues[i]), bytes(keysAndValues[i + 1]));
        }
        return map;
    }

    /** Queues on {@link #PG}; every call goes through an appended transaction, which must act as the original does. */
    default void apply(Transaction transaction) {
        store().queueTransaction(pg(), new Transaction().append(transaction));
    }

    /** Queues and waits until durable. */
    default void commit(Collection sequencer, Transaction transaction) {
        CountDownLatch done = new CountDownLatch(1);
        store().queueTransaction(sequencer, transaction.onCommit(done::countDown));
        await(done);
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(CALLBACK_SECONDS, TimeUnit.SECONDS))
                    .as("callbacks ran within %s s", CALLBACK_SECONDS)
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** The handle of an existing collection. */
    default Collection open(CollectionId id) {
        Collection collection = store().openCollection(id);
        if (collection == null) {
            throw new AssertionError("no collection " + id);
        }
        return collection;
    }

    /** Makes a collection by a transaction of its own. */
    default Collection make(CollectionId id, int bits) {
        Collection collection = store().createNewCollection(id);
        store().queueTransaction(collection, new Transaction().makeCollection(id, bits));
        return collection;
    }

    default byte[] readAll(ObjectId object) {
        return pg().read(object, 0, 0);
    }

    default long size(ObjectId object) {
        return pg().stat(object).sizeBytes();
    }

    static OmapIterator iterator(Collection collection, ObjectId object) {
        OmapIterator iterator = collection.omapIterator(object);
        if (iterator == null) {
            throw new AssertionError("no object " + object);
        }
        return iterator;
    }

    /** Everything an iterator yields from where it stands. */
    static Map<ByteString, ByteString> rest(OmapIterator iterator) {
        Map<ByteString, ByteString> found = new TreeMap<>();
        ByteString last = null;
        for (; iterator.valid(); iterator.next()) {
            if (last != null) {
                assertThat(iterator.key()).isGreaterThan(last);
            }
            last = iterator.key();
            found.put(last, iterator.value());
        }
        return found;
    }

    /** All objects, listed in pages of {@code pageSize}. */
    static List<ObjectId> listAll(Collection collection, int pageSize) {
        List<ObjectId> all = new ArrayList<>();
        ObjectId start = ObjectId.MIN;
        while (!start.equals(ObjectId.MAX)) {
            Listing page = collection.list(start, ObjectId.MAX, pageSize);
            assertThat(page.objects()).isSorted().hasSizeLessThanOrEqualTo(pageSize);
            assertThat(page.objects().isEmpty() && !page.next().equals(ObjectId.MAX))
                    .as("an empty page that is not the last")
                    .isFalse();
            all.addAll(page.objects());
            start = page.next();
        }
        assertThat(all).isSorted().doesNotHaveDuplicates();
        return all;
    }

    static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    static byte[] slice(byte[] data, int from, int length) {
        return Arrays.copyOfRange(data, from, from + length);
    }
}
