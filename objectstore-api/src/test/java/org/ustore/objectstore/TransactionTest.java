package org.ustore.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TransactionTest {
    private static final CollectionId C = CollectionId.pg(1, 0);
    private static final CollectionId D = CollectionId.pg(1, 1);
    private static final ObjectId A = ObjectId.head(1, 0, ByteString.of("a"));
    private static final ObjectId B = ObjectId.head(1, 0, ByteString.of("b"));
    private static final ByteString K = ByteString.of("k");
    private static final ByteString V = ByteString.of("v");

    @Test
    void everyShorthandAddsItsOperation() {
        Payload payload = Payload.of(new byte[] {1});
        Transaction t = new Transaction()
                .touch(C, A)
                .write(C, A, 5, payload)
                .zero(C, A, 1, 2)
                .truncate(C, A, 3)
                .remove(C, A)
                .setAttribute(C, A, K, V)
                .setAttributes(C, A, Map.of())
                .removeAttribute(C, A, K)
                .removeAllAttributes(C, A)
                .clone(C, A, B)
                .cloneRange(C, A, B, 1, 2, 3)
                .rename(C, A, B)
                .omapClear(C, A)
                .omapSetKeys(C, A, Map.of(K, V))
                .omapRemoveKeys(C, A, Set.of(K))
                .omapRemoveKeyRange(C, A, K, V)
                .omapSetHeader(C, A, V)
                .makeCollection(C, 3)
                .removeCollection(C)
                .splitCollection(C, D, 1, 1)
                .mergeCollection(D, C, 0);
        assertThat(t.operations())
                .containsExactly(
                        new Operation.Touch(C, A),
                        new Operation.Write(C, A, 5, payload),
                        new Operation.Zero(C, A, 1, 2),
                        new Operation.Truncate(C, A, 3),
                        new Operation.Remove(C, A),
                        new Operation.SetAttributes(C, A, Map.of(K, V)),
                        new Operation.SetAttributes(C, A, Map.of()),
                        new Operation.RemoveAttribute(C, A, K),
                        new Operation.RemoveAllAttributes(C, A),
                        new Operation.Clone(C, A, B),
                        new Operation.CloneRange(C, A, B, 1, 2, 3),
                        new Operation.Rename(C, A, C, B),
                        new Operation.OmapClear(C, A),
                        new Operation.OmapSetKeys(C, A, Map.of(K, V)),
                        new Operation.OmapRemoveKeys(C, A, Set.of(K)),
                        new Operation.OmapRemoveKeyRange(C, A, K, V),
                        new Operation.OmapSetHeader(C, A, V),
                        new Operation.MakeCollection(C, 3),
                        new Operation.RemoveCollection(C),
                        new Operation.SplitCollection(C, D, 1, 1),
                        new Operation.MergeCollection(D, C, 0));
    }

    @Test
    void appendKeepsOrderAndCallbacks() {
        List<String> ran = new ArrayList<>();
        Transaction first =
                new Transaction().touch(C, A).onCommit(() -> ran.add("c1")).onApplied(() -> ran.add("a1"));
        Transaction second = new Transaction()
                .remove(C, A)
                .onCommit(() -> ran.add("c2"))
                .onApplied(() -> ran.add("a2"))
                .onAppliedSync(() -> ran.add("s2"));
        first.append(second);
        assertThat(first.operations()).containsExactly(new Operation.Touch(C, A), new Operation.Remove(C, A));
        first.appliedSyncCallbacks().forEach(Runnable::run);
        first.appliedCallbacks().forEach(Runnable::run);
        first.commitCallbacks().forEach(Runnable::run);
        assertThat(ran).containsExactly("s2", "a1", "a2", "c1", "c2");
        assertThat(second.operations()).hasSize(1);
    }

    @Test
    void theListsAreReadOnly() {
        Transaction t = new Transaction().touch(C, A);
        assertThatThrownBy(() -> t.operations().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> t.commitCallbacks().add(() -> {})).isInstanceOf(UnsupportedOperationException.class);
    }
}
