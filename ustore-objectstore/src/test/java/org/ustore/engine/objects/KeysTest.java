package org.ustore.engine.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.testkit.RandomHistory;

/** Keys sort as what they name, and name it. */
final class KeysTest {
    private static final int PAIRS = 20_000;

    static LongStream seeds() {
        return RandomHistory.seeds(5);
    }

    /** Few short strings of the bytes that matter, so that neighbours and prefixes come often. */
    private static ByteString string(Random random) {
        byte[] bytes = new byte[random.nextInt(4)];
        byte[] letters = {0, 1, 2, 'a', (byte) 0xff};
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = letters[random.nextInt(letters.length)];
        }
        return ByteString.wrap(bytes);
    }

    private static ObjectId object(Random random) {
        long[] pools = {-1, 1, 2, -3, -4, 1L << 40};
        long[] numbers = {0, 1, -1, -2, 0x100};
        ByteString name = string(random);
        ByteString key = random.nextBoolean() ? ByteString.EMPTY : string(random);
        return new ObjectId(
                (byte) (random.nextInt(3) - 1),
                pools[random.nextInt(pools.length)],
                random.nextInt(4) << 30 | random.nextInt(4),
                string(random),
                // A key that equals the name is none.
                key.equals(name) ? ByteString.EMPTY : key,
                name,
                numbers[random.nextInt(numbers.length)],
                numbers[random.nextInt(numbers.length)],
                false,
                false);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keysSortAsObjectsDo(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < PAIRS; i++) {
            ObjectId one = object(random);
            ObjectId other = object(random);
            byte[] oneKey = Keys.object(one);
            int order = Arrays.compareUnsigned(oneKey, Keys.object(other));
            assertThat(Integer.signum(order))
                    .as("%s and %s", one, other)
                    .isEqualTo(Integer.signum(one.compareTo(other)));
            assertThat(Keys.objectOf(oneKey)).isEqualTo(one);
            assertThat(Arrays.compareUnsigned(Keys.object(ObjectId.MIN.withShard(one.shard())), oneKey))
                    .isNegative();
            assertThat(Arrays.compareUnsigned(oneKey, Keys.object(ObjectId.MAX)))
                    .isNegative();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aCollectionsObjectsAreItsRanges(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < PAIRS; i++) {
            ObjectId object = object(random);
            int bits = random.nextInt(33);
            CollectionId id = random.nextInt(8) == 0
                    ? CollectionId.META
                    : CollectionId.pg(1 + random.nextInt(2), bits == 0 ? 0 : random.nextInt() >>> (32 - bits), (byte)
                            (random.nextInt(3) - 1));
            byte[] key = Keys.object(object);
            boolean inRange = CollectionRange.of(id, bits).stream()
                    .anyMatch(range -> Arrays.compareUnsigned(range.from(), key) <= 0
                            && Arrays.compareUnsigned(key, range.to()) < 0);
            assertThat(inRange)
                    .as("%s in %s of %s bits", object, id, bits)
                    .isEqualTo(CollectionRange.contains(id, bits, object));
            assertThat(Keys.collectionOf(Keys.collection(id))).isEqualTo(id);
        }
    }
}
