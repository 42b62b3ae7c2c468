package org.ustore.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What real OSDs of Ceph 16.2.15 queued is decoded as the checked-in text says. */
final class TransactionGoldenTest {
    /** What OSDs of 16.2.15 were seen to send; the others are covered by {@link TransactionDecoderTest} alone. */
    private static final Set<WireOp> SENT = EnumSet.of(
            WireOp.CREATE,
            WireOp.TOUCH,
            WireOp.WRITE,
            WireOp.ZERO,
            WireOp.TRUNCATE,
            WireOp.REMOVE,
            WireOp.SETATTR,
            WireOp.SETATTRS,
            WireOp.RMATTR,
            WireOp.CLONE,
            WireOp.MKCOLL,
            WireOp.RMCOLL,
            WireOp.RMATTRS,
            WireOp.OMAP_CLEAR,
            WireOp.OMAP_SETKEYS,
            WireOp.OMAP_RMKEYS,
            WireOp.OMAP_SETHEADER,
            WireOp.SPLIT_COLLECTION2,
            WireOp.OMAP_RMKEYRANGE,
            WireOp.COLL_MOVE_RENAME,
            WireOp.SETALLOCHINT,
            WireOp.COLL_HINT,
            WireOp.COLL_SET_BITS,
            WireOp.MERGE_COLLECTION);

    private final List<RecordedTransaction> recorded = GoldenTransactions.load();

    @Test
    void decodesToTheText() {
        assertThat(GoldenTransactions.dump(recorded, 1, new Random(1))).isEqualTo(GoldenTransactions.loadDump());
    }

    @Test
    void decodesToTheTextHoweverTheDataIsCut() {
        for (int pieces : new int[] {2, 5, 40}) {
            assertThat(GoldenTransactions.dump(recorded, pieces, new Random(pieces)))
                    .isEqualTo(GoldenTransactions.loadDump());
        }
    }

    @Test
    void holdsEveryOperationThatAnOsdSends() {
        assertThat(GoldenTransactions.operations(recorded)).isEqualTo(SENT);
    }
}
