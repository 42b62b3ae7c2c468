package org.ustore.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CollectionIdTest {
    @Test
    void namesAreCephs() {
        assertThat(CollectionId.META).hasToString("meta");
        assertThat(CollectionId.pg(2, 0x1f)).hasToString("2.1f_head");
        assertThat(CollectionId.pg(3, 0, (byte) 1)).hasToString("3.0s1_head");
        assertThat(CollectionId.pg(10, -1)).hasToString("10.ffffffff_head");
        assertThat(new CollectionId(CollectionId.Type.PG_TEMP, 2, 1, ObjectId.NO_SHARD))
                .hasToString("2.1_TEMP");
    }

    @Provide
    Arbitrary<CollectionId> groups() {
        return Combinators.combine(
                        Arbitraries.of(CollectionId.Type.PG, CollectionId.Type.PG_TEMP),
                        Arbitraries.longs().greaterOrEqual(0),
                        Arbitraries.integers(),
                        Arbitraries.bytes().greaterOrEqual((byte) -1))
                .as(CollectionId::new);
    }

    @Property
    void parseReadsWhatToStringWrites(@ForAll("groups") CollectionId id) {
        assertThat(CollectionId.parse(id.toString())).isEqualTo(id);
    }

    @Test
    void parseReadsMeta() {
        assertThat(CollectionId.parse("meta")).isEqualTo(CollectionId.META);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Meta",
                "meta_head",
                "2.1",
                "2.1_Head",
                "2._head",
                ".1_head",
                "2.1g_head",
                "2.1F_head",
                "-1.1_head",
                "2.1s_head",
                "2.1s128_head",
                "2.1s1000_head",
                "2.1s-1_head",
                "2.123456789_head",
                " 2.1_head",
                "2.1_head ",
                "9223372036854775808.0_head",
                "12345678901234567890.0_head",
                "2.1_head/..",
                "2.1_TEMP_head",
                "\u0661.1_head"
            })
    void parseRefusesEverythingElse(String text) {
        assertThatThrownBy(() -> CollectionId.parse(text))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void metaHoldsObjectsOfTheMetaPool() {
        assertThat(CollectionId.META.contains(ObjectId.meta(0x1234, ByteString.of("x")), 0))
                .isTrue();
        assertThat(CollectionId.META.contains(ObjectId.head(0, 0, ByteString.of("x")), 0))
                .isFalse();
    }

    @Test
    void aGroupHoldsObjectsOfItsPoolWhoseLowBitsAreItsSeeds() {
        CollectionId id = CollectionId.pg(4, 0b101);
        assertThat(id.contains(object(4, 0b1101), 3)).isTrue();
        assertThat(id.contains(object(4, 0b1101), 4)).isFalse();
        assertThat(id.contains(object(4, 0b1001), 3)).isFalse();
        assertThat(id.contains(object(4, 0b1010), 0)).isTrue();
        assertThat(id.contains(object(5, 0b1101), 3)).isFalse();
        assertThat(id.contains(object(-6, 0b1101), 3)).as("temporary in pool 4").isTrue();
        assertThat(id.contains(object(-1, 0b1101), 3)).isFalse();
        assertThat(id.contains(object(4, 0b101), 32)).isTrue();
        assertThat(id.contains(object(4, 0x8000_0005), 31)).isTrue();
        assertThat(id.contains(object(4, 0x8000_0005), 32)).isFalse();
    }

    private static ObjectId object(long pool, int hash) {
        return ObjectId.head(pool, hash, ByteString.of("o"));
    }

    @Property
    void oneHalfOfASplitHoldsEachObject(@ForAll int hash, @ForAll int seed, @ForAll @IntRange(max = 31) int bits) {
        int mask = (1 << bits) - 1;
        CollectionId parent = CollectionId.pg(4, seed & mask);
        CollectionId child = CollectionId.pg(4, (seed & mask) | 1 << bits);
        ObjectId o = object(4, (hash & ~mask) | (seed & mask));
        assertThat(parent.contains(o, bits)).isTrue();
        assertThat(parent.contains(o, bits + 1)).isNotEqualTo(child.contains(o, bits + 1));
    }

    @Property
    void orderAgreesWithEquals(@ForAll("groups") CollectionId a, @ForAll("groups") CollectionId b) {
        assertThat(a.compareTo(b) == 0).isEqualTo(a.equals(b));
        assertThat(Integer.signum(a.compareTo(b))).isEqualTo(-Integer.signum(b.compareTo(a)));
    }

    @Test
    void orderIsByTypePoolSeedShardUnsigned() {
        assertThat(java.util.List.of(
                        CollectionId.META,
                        CollectionId.pg(1, 0),
                        CollectionId.pg(1, 0, (byte) 0),
                        CollectionId.pg(1, 2),
                        CollectionId.pg(1, 0x8000_0000),
                        CollectionId.pg(2, 0),
                        CollectionId.pg(10, 0),
                        new CollectionId(CollectionId.Type.PG_TEMP, 1, 0, ObjectId.NO_SHARD)))
                .isSorted();
    }
}
