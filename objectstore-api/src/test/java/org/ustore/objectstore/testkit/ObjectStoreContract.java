package org.ustore.objectstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ustore.objectstore.Collection;
import org.ustore.objectstore.FsckReport;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.Transaction;

/**
 * What every store does, one test per behaviour. A subclass supplies the store; each test gets a fresh one, mounted and
 * holding the empty collection {@link StoreUnderTest#PG}, and ends with a clean fsck.
 *
 * <p>Display names start with a stable id. The tests tagged {@link #FAILURE} make a transaction fail; leave them out for
 * stores that end the process then.
 */
public abstract class ObjectStoreContract
        implements LifecycleContract,
                DataContract,
                AttributeContract,
                OmapContract,
                CloneContract,
                CollectionContract,
                ListingContract,
                TransactionContract,
                FailureContract {
    /** Tag of tests that make a transaction fail. */
    public static final String FAILURE = "failure";

    /** Identity of the stores made here. */
    protected static final UUID FSID = UUID.fromString("5f3c6f1e-8d1b-4c55-9a53-0d5d8f0b1c2a");

    private @Nullable ObjectStore current;
    private @Nullable Collection pg;

    /** A new store over fresh storage, of at least 256 MiB; mkfs has not been called. */
    protected abstract ObjectStore create() throws Exception;

    /**
     * The store to mount after {@code unmounted} was unmounted. Give a new instance over the same storage if there is
     * any, so that tests read what is really there.
     */
    protected ObjectStore reopen(ObjectStore unmounted) throws Exception {
        return unmounted;
    }

    /** Lets go of the storage; the store is unmounted. */
    protected void destroy(ObjectStore unmounted) throws Exception {}

    /** Size of the random histories. */
    protected RandomHistory.Profile historyProfile() {
        return RandomHistory.Profile.SHORT;
    }

    @BeforeEach
    final void setUp() throws Exception {
        current = create();
        current.mkfs(FSID);
        current.mount();
        pg = make(PG, 0);
    }

    @AfterEach
    final void tearDown() throws Exception {
        ObjectStore last = store();
        current = null;
        last.umount();
        ObjectStore closed = reopen(last);
        try {
            FsckReport report = closed.fsck(true);
            assertThat(report.errors()).as("fsck").isEmpty();
        } finally {
            destroy(closed);
        }
    }

    @Override
    public final ObjectStore store() {
        if (current == null) {
            throw new AssertionError("no store; did create(), mkfs or mount fail?");
        }
        return current;
    }

    @Override
    public final Collection pg() {
        if (pg == null) {
            throw new AssertionError("no collection; did create(), mkfs or mount fail?");
        }
        return pg;
    }

    @Override
    public final void remount() {
        pg = null;
        ObjectStore last = store();
        last.umount();
        try {
            current = reopen(last);
        } catch (Exception e) {
            throw new AssertionError("reopen failed", e);
        }
        store().mount();
        pg = store().openCollection(PG);
    }

    static LongStream historySeeds() {
        return RandomHistory.seeds(8);
    }

    @ParameterizedTest(name = "{displayName} seed {0}")
    @MethodSource("historySeeds")
    @DisplayName("B4.random-history: a random history gives what the model gives")
    final void randomHistory(long seed) {
        store().queueTransaction(pg(), new Transaction().removeCollection(PG));
        new RandomHistory(seed, historyProfile(), getClass().getName(), this::store, this::remount).run();
    }
}
