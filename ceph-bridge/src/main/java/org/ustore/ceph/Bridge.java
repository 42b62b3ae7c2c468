package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.Extent;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.Listing;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.ObjectStoreException;
import org.ustore.objectstore.Omap;
import org.ustore.objectstore.OmapIterator;
import org.ustore.objectstore.Operation;
import org.ustore.objectstore.StoreStatistics;
import org.ustore.objectstore.Transaction;

/**
 * What the native shim calls, by JNI, from any thread of the OSD. Nothing else calls it.
 *
 * <p>Names come as addresses of their {@link NeutralForm}, variable results go where {@link Natives#allocate} says.
 * Methods that return a number answer 0 or more, or a negative errno; none lets an exception out. Of those
 * that return an object only {@link #open} does not; the shim stops the process then. Names and signatures are fixed by {@code jvm.h}.
 */
final class Bridge {
    private static final Logger LOG = System.getLogger(Bridge.class.getName());

    private static final long NO_OBJECT = 0;
    private static final int SEEK_FIRST = 0;
    private static final int SEEK_LOWER = 1;
    private static final int SEEK_UPPER = 2;

    // Set by init before anything else is called, then never again.
    private static @Nullable Natives natives;

    private Bridge() {}

    // --- life -------------------------------------------------------------------------------------------------------

    /** The build this jar is of; the shim must be of the same. */
    static String buildId() {
        try (InputStream in = Bridge.class.getResourceAsStream("build-id")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the table of functions at {@code table}; {@code osdLevel} is what the OSD's log gathers, 0 to 20. */
    static void init(long table, int osdLevel) {
        Natives linked = Natives.link(table);
        natives = linked;
        OsdLogHandler.install(linked, osdLevel);
    }

    private static Natives natives() {
        Natives linked = natives;
        if (linked == null) {
            throw new IllegalStateException("init has not been called");
        }
        return linked;
    }

    /** The store for the OSD with this data folder; null with the reason in the log if it cannot be made. */
    static @Nullable Object open(String osdData) {
        try {
            StoreFactory factory = ServiceLoader.load(StoreFactory.class, ClassLoader.getSystemClassLoader())
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no StoreFactory on the class path"));
            return factory.create(Path.of(osdData));
        } catch (ObjectStoreException e) {
            LOG.log(Level.ERROR, "cannot open the store in " + osdData + ": " + e.getMessage());
            return null;
        } catch (Throwable t) {
            LOG.log(Level.ERROR, "cannot open the store in " + osdData, t);
            return null;
        }
    }

    static long mkfs(Object store, long fsidHigh, long fsidLow) {
        return lifecycle("mkfs", () -> {
            ((ObjectStore) store).mkfs(new UUID(fsidHigh, fsidLow));
            return 0;
        });
    }

    static long mount(Object store) {
        return lifecycle("mount", () -> {
            ((ObjectStore) store).mount();
            return 0;
        });
    }

    static long umount(Object store) {
        return lifecycle("umount", () -> {
            ((ObjectStore) store).umount();
            return 0;
        });
    }

    /** The number of errors found, each of which is logged. */
    static long fsck(Object store, boolean deep) {
        return lifecycle("fsck", () -> {
            FsckReport report = ((ObjectStore) store).fsck(deep);
            report.errors().forEach(error -> LOG.log(Level.ERROR, "fsck: " + error));
            LOG.log(
                    Level.INFO,
                    "fsck: " + report.objectsChecked() + " objects checked, "
                            + report.errors().size() + " errors");
            return report.errors().size();
        });
    }

    // --- statistics -------------------------------------------------------------------------------------------------

    /** Fills the ten numbers of a store_statfs_t at {@code out}. */
    static long statfs(Object store, long out) {
        return answer("statfs", NO_OBJECT, () -> put(((ObjectStore) store).statistics(), out));
    }

    /** As {@link #statfs}, of one pool. */
    static long poolStatfs(Object store, long pool, long out) {
        return answer("pool_statfs", NO_OBJECT, () -> put(((ObjectStore) store).poolStatistics(pool), out));
    }

    private static long put(StoreStatistics s, long out) {
        long[] values = {
            s.total(),
            s.available(),
            s.internallyReserved(),
            s.allocated(),
            s.dataStored(),
            s.dataCompressed(),
            s.dataCompressedAllocated(),
            s.dataCompressedOriginal(),
            s.omapAllocated(),
            s.internalMetadata()
        };
        for (int i = 0; i < values.length; i++) {
            Natives.MEMORY.set(JAVA_LONG, out + 8L * i, values[i]);
        }
        return 0;
    }

    /** Pairs of strings; returns the number of pairs. */
    static long metadata(Object store, long reply) {
        return answer("metadata", NO_OBJECT, () -> {
            Map<ByteString, ByteString> facts = new TreeMap<>();
            ((ObjectStore) store)
                    .metadata()
                    .forEach((key, value) -> facts.put(ByteString.of(key), ByteString.of(value)));
            facts.put(ByteString.of("build"), ByteString.of(buildId()));
            facts.put(ByteString.of("java"), ByteString.of(Runtime.version().toString()));
            facts.put(
                    ByteString.of("java_heap_max"),
                    ByteString.of(Long.toString(Runtime.getRuntime().maxMemory())));
            return reply(reply, ReplyWriter.size(facts), facts.size(), out -> out.put(facts));
        });
    }

    // --- collections ------------------------------------------------------------------------------------------------

    /** Collections, one after the other; returns their number. */
    static long listCollections(Object store, long reply) {
        return answer("list_collections", NO_OBJECT, () -> {
            List<CollectionId> ids = ((ObjectStore) store).listCollections();
            long bytes = (long) ids.size() * NeutralForm.COLLECTION_BYTES;
            return reply(reply, bytes, ids.size(), out -> ids.forEach(out::put));
        });
    }

    static long collectionExists(Object store, long id) {
        return answer(
                "collection_exists", NO_OBJECT, () -> ((ObjectStore) store).collectionExists(collection(id)) ? 1 : 0);
    }

    /** The handle, or null if there is no such collection. */
    static @Nullable Object openCollection(Object store, long id) {
        return ((ObjectStore) store).openCollection(collection(id));
    }

    static Object createCollection(Object store, long id) {
        return ((ObjectStore) store).createNewCollection(collection(id));
    }

    static long flush(Object collection) {
        return answer("flush", NO_OBJECT, () -> {
            ((Collection) collection).flush();
            return 0;
        });
    }

    static long collectionEmpty(Object collection) {
        return answer("collection_empty", NO_OBJECT, () -> ((Collection) collection).isEmpty() ? 1 : 0);
    }

    static long collectionBits(Object collection) {
        return answer("collection_bits", NO_OBJECT, ((Collection) collection)::bits);
    }

    /** The objects, then the next one; returns the number of objects without it. */
    static long list(Object collection, long start, long end, int max, long reply) {
        return answer("collection_list", NO_OBJECT, () -> {
            Listing listing = ((Collection) collection).list(object(start), object(end), max);
            long bytes = NeutralForm.size(listing.next());
            for (ObjectId id : listing.objects()) {
                bytes += NeutralForm.size(id);
            }
            return reply(reply, bytes, listing.objects().size(), out -> {
                listing.objects().forEach(out::put);
                out.put(listing.next());
            });
        });
    }

    // --- transactions -----------------------------------------------------------------------------------------------

    /**
     * Queues the transactions described one after the other at {@code descriptors} (see {@link TransactionView}) and
     * reports {@code batch} once they are durable. Returns the number of collections they removed, whose names are in the
     * reply. On failure the reply holds the reason in words, nothing was applied that will be kept, and the shim stops the
     * process.
     */
    static long queueTransactions(Object store, Object sequencer, long descriptors, int count, long batch, long reply) {
        try {
            List<Transaction> transactions = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                transactions.add(TransactionView.decode(descriptors + (long) i * TransactionView.DESCRIPTOR_BYTES));
            }
            if (transactions.isEmpty()) {
                transactions.add(new Transaction());
            }
            List<CollectionId> removed = removedCollections(transactions);
            Natives shim = natives();
            transactions.getLast().onCommit(() -> shim.commit(batch));
            ((ObjectStore) store).queueTransactions((Collection) sequencer, transactions);
            if (removed.isEmpty()) {
                return 0;
            }
            long bytes = (long) removed.size() * NeutralForm.COLLECTION_BYTES;
            return reply(reply, bytes, removed.size(), out -> removed.forEach(out::put));
        } catch (Throwable t) {
            return failedTransaction(t, reply);
        }
    }

    private static List<CollectionId> removedCollections(List<Transaction> transactions) {
        List<CollectionId> removed = List.of();
        for (Transaction transaction : transactions) {
            for (Operation operation : transaction.operations()) {
                if (operation instanceof Operation.RemoveCollection || operation instanceof Operation.MergeCollection) {
                    removed = new ArrayList<>(removed);
                    removed.add(operation.collection());
                }
            }
        }
        return removed;
    }

    private static long failedTransaction(Throwable t, long reply) {
        LOG.log(Level.ERROR, "a transaction cannot be applied", t);
        byte[] why = t.toString().getBytes(StandardCharsets.UTF_8);
        new ReplyWriter(natives(), reply, why.length).put(why);
        return -code(t).errno();
    }

    // --- objects ----------------------------------------------------------------------------------------------------

    static long exists(Object collection, long object) {
        return answer("exists", object, () -> ((Collection) collection).exists(object(object)) ? 1 : 0);
    }

    /** The size in bytes. */
    static long stat(Object collection, long object) {
        return answer(
                "stat",
                object,
                () -> ((Collection) collection).stat(object(object)).sizeBytes());
    }

    /** The data, straight into the buffer the OSD gets; returns the number of bytes. */
    static long read(Object collection, long object, long offset, long length, long reply) {
        return answer(
                "read",
                object,
                () -> ((Collection) collection)
                        .read(
                                object(object),
                                offset,
                                bounded(length),
                                bytes -> natives().allocate(reply, bytes)));
    }

    /** As {@link #read}, of {@code count} pairs of offset and length at {@code extents}. */
    static long readv(Object collection, long object, long extents, int count, long reply) {
        return answer("readv", object, () -> {
            List<Extent> ranges = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                long at = extents + 16L * i;
                ranges.add(new Extent(Natives.MEMORY.get(JAVA_LONG, at), Natives.MEMORY.get(JAVA_LONG, at + 8)));
            }
            return ((Collection) collection)
                    .read(object(object), ranges, bytes -> natives().allocate(reply, bytes));
        });
    }

    /** Pairs of offset and length; returns the number of pairs. */
    static long fiemap(Object collection, long object, long offset, long length, long reply) {
        return answer("fiemap", object, () -> {
            List<Extent> extents = ((Collection) collection).fiemap(object(object), offset, bounded(length));
            return reply(
                    reply,
                    16L * extents.size(),
                    extents.size(),
                    out -> extents.forEach(e -> out.put(e.offset()).put(e.length())));
        });
    }

    /** Sizes of size_t that are beyond any object mean "to the end". */
    private static long bounded(long length) {
        return length < 0 || length > ObjectStore.MAX_OBJECT_BYTES ? ObjectStore.MAX_OBJECT_BYTES : length;
    }

    // --- attributes -------------------------------------------------------------------------------------------------

    /** The value's bytes; returns their number. */
    static long attribute(Object collection, long object, long name, int nameBytes, long reply) {
        return answer("getattr", object, () -> {
            ByteString value = ((Collection) collection).attribute(object(object), string(name, nameBytes));
            return reply(reply, value.length(), value.length(), out -> out.putBare(value));
        });
    }

    /** Names and values; returns the number of attributes. */
    static long attributes(Object collection, long object, long reply) {
        return answer("getattrs", object, () -> {
            Map<ByteString, ByteString> attributes = ((Collection) collection).attributes(object(object));
            return reply(reply, ReplyWriter.size(attributes), attributes.size(), out -> out.put(attributes));
        });
    }

    // --- omap -------------------------------------------------------------------------------------------------------

    /** The header, then keys and values; returns the number of keys. */
    static long omap(Object collection, long object, long reply) {
        return answer("omap_get", object, () -> {
            Omap omap = ((Collection) collection).omap(object(object));
            long bytes = ReplyWriter.size(omap.header()) + ReplyWriter.size(omap.entries());
            return reply(
                    reply,
                    bytes,
                    omap.entries().size(),
                    out -> out.put(omap.header()).put(omap.entries()));
        });
    }

    /** The header's bytes; returns their number. */
    static long omapHeader(Object collection, long object, long reply) {
        return answer("omap_get_header", object, () -> {
            ByteString header = ((Collection) collection).omapHeader(object(object));
            return reply(reply, header.length(), header.length(), out -> out.putBare(header));
        });
    }

    /** The keys; returns their number. */
    static long omapKeys(Object collection, long object, long reply) {
        return answer("omap_get_keys", object, () -> keys(((Collection) collection).omapKeys(object(object)), reply));
    }

    /** Keys and values of those of the {@code count} keys at {@code keys} that exist; returns their number. */
    static long omapValues(Object collection, long object, long keys, int count, long reply) {
        return answer("omap_get_values", object, () -> {
            SortedMap<ByteString, ByteString> found =
                    ((Collection) collection).omapValues(object(object), keySet(keys, count));
            return reply(reply, ReplyWriter.size(found), found.size(), out -> out.put(found));
        });
    }

    /** Those of the {@code count} keys at {@code keys} that exist; returns their number. */
    static long omapExistingKeys(Object collection, long object, long keys, int count, long reply) {
        return answer(
                "omap_check_keys",
                object,
                () -> keys(((Collection) collection).omapExistingKeys(object(object), keySet(keys, count)), reply));
    }

    private static long keys(SortedSet<ByteString> keys, long reply) {
        return reply(reply, ReplyWriter.size(keys), keys.size(), out -> out.put(keys));
    }

    private static Set<ByteString> keySet(long address, int count) {
        Set<ByteString> keys = HashSet.newHashSet(count);
        long at = address;
        for (int i = 0; i < count; i++) {
            int length = Natives.MEMORY.get(JAVA_INT_UNALIGNED, at);
            keys.add(string(at + 4, length));
            at += 4 + length;
        }
        return keys;
    }

    /** An {@link OmapCursor}, or null if there is no such object. */
    static @Nullable Object omapIterator(Object collection, long object) {
        OmapIterator iterator = ((Collection) collection).omapIterator(object(object));
        return iterator == null ? null : new OmapCursor(iterator);
    }

    /** Seeks, then as {@link OmapCursor#take}. */
    static long iteratorSeek(Object cursor, int mode, long key, int keyBytes, int max, long reply) {
        return answer("omap iterator", NO_OBJECT, () -> {
            OmapCursor omap = (OmapCursor) cursor;
            switch (mode) {
                case SEEK_FIRST -> omap.seekToFirst();
                case SEEK_LOWER -> omap.lowerBound(string(key, keyBytes));
                case SEEK_UPPER -> omap.upperBound(string(key, keyBytes));
                default -> throw new ObjectStoreException(ErrorCode.EINVAL, "seek mode=" + mode);
            }
            return omap.take(max, natives(), reply);
        });
    }

    static long iteratorNext(Object cursor, int max, long reply) {
        return answer("omap iterator", NO_OBJECT, () -> ((OmapCursor) cursor).take(max, natives(), reply));
    }

    static long iteratorClose(Object cursor) {
        return answer("omap iterator", NO_OBJECT, () -> {
            ((OmapCursor) cursor).close();
            return 0;
        });
    }

    // --- shared -----------------------------------------------------------------------------------------------------

    private static CollectionId collection(long address) {
        return NeutralForm.collection(Natives.MEMORY, address);
    }

    private static ObjectId object(long address) {
        return NeutralForm.object(Natives.MEMORY, address);
    }

    private static ByteString string(long address, int bytes) {
        return bytes == 0 ? ByteString.EMPTY : ByteString.copyOf(Natives.MEMORY.asSlice(address, bytes));
    }

    @FunctionalInterface
    private interface Fill {
        void into(ReplyWriter out);
    }

    private static long reply(long reply, long bytes, long result, Fill fill) {
        fill.into(new ReplyWriter(natives(), reply, bytes));
        return result;
    }

    private static long lifecycle(String what, LongSupplier call) {
        try {
            return call.getAsLong();
        } catch (ObjectStoreException e) {
            // The message says it all to an operator; the trace is for whoever asks for it.
            LOG.log(Level.ERROR, what + " failed: " + e.getMessage());
            LOG.log(Level.DEBUG, what, e);
            return -e.code().errno();
        } catch (Throwable t) {
            LOG.log(Level.ERROR, what + " failed", t);
            return -code(t).errno();
        }
    }

    private static long answer(String what, long object, LongSupplier call) {
        try {
            return call.getAsLong();
        } catch (Throwable t) {
            return failed(what, object, t);
        }
    }

    private static long failed(String what, long object, Throwable t) {
        ErrorCode code = code(t);
        if (t instanceof ObjectStoreException
                && (code == ErrorCode.ENOENT || code == ErrorCode.ENODATA || code == ErrorCode.EOPNOTSUPP)) {
            return -code.errno();
        }
        String of = object == NO_OBJECT ? "" : " of " + object(object);
        LOG.log(Level.ERROR, what + of + " failed", t);
        return -code.errno();
    }

    private static ErrorCode code(Throwable t) {
        return switch (t) {
            case ObjectStoreException e -> e.code();
            case OutOfMemoryError _ -> ErrorCode.ENOMEM;
            default -> ErrorCode.EIO;
        };
    }
}
