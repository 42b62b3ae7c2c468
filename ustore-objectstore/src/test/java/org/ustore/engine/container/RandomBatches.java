package org.ustore.engine.container;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Batches of all operations on a small world of keys, long ones and long values among them. The seed decides all. */
public final class RandomBatches {
    private final Random random;
    private final int keys;

    /** Keys are taken from about {@code keys}. */
    public RandomBatches(long seed, int keys) {
        this.random = new Random(seed);
        this.keys = keys;
    }

    /** The source of everything, for what else a test wants to decide. */
    public Random random() {
        return random;
    }

    /** One to {@code most} operations; now and then one that takes a good part of all keys away. */
    public WriteBatch next(int most) {
        WriteBatch batch = new WriteBatch();
        int operations = 1 + random.nextInt(most);
        for (int i = 0; i < operations; i++) {
            add(batch);
        }
        return batch;
    }

    private void add(WriteBatch batch) {
        int kind = random.nextInt(100);
        if (kind < 55) {
            batch.put(key(), value());
        } else if (kind < 75) {
            batch.delete(key());
        } else if (kind < 92) {
            byte[] data = bytes(random.nextInt(random.nextInt(10) == 0 ? 9000 : 40));
            batch.patch(key(), random.nextInt(random.nextInt(6) == 0 ? 20_000 : 100), data);
        } else if (kind < 98) {
            int from = random.nextInt(keys);
            batch.deleteRange(key(from), key(from + random.nextInt(8)));
        } else if (kind < 99) {
            batch.deleteRange(key(), key());
        } else {
            batch.deleteRange(new byte[0], key(random.nextInt(keys / 4 + 1)));
        }
    }

    /** Any key. */
    public byte[] key() {
        return key(random.nextInt(keys));
    }

    private byte[] key(int number) {
        if (number % 97 == 0) {
            byte[] longKey = new byte[number % 2 == 0 ? 3000 : MetadataStore.MAX_KEY_BYTES];
            Arrays.fill(longKey, (byte) (number >> 3));
            longKey[longKey.length - 1] = (byte) number;
            longKey[longKey.length - 2] = (byte) (number >> 8);
            return longKey;
        }
        if (number % 101 == 0) {
            return new byte[] {(byte) number, (byte) (number >> 8)};
        }
        return String.format("object-%06d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] value() {
        int kind = random.nextInt(40);
        int length = kind == 0 ? random.nextInt(40_000) : kind < 4 ? random.nextInt(5000) : random.nextInt(120);
        return bytes(length);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
