package org.ustore.engine.space;

/**
 * A map from positive ints to ints without boxes: open addressing, linear probing, removal by shifting back (Knuth, The
 * Art of Computer Programming 3, algorithm 6.4 R). Not safe for concurrent use.
 */
public final class IntIntMap {
    private static final int MIN_CAPACITY = 64;

    private int[] keys = new int[MIN_CAPACITY];
    private int[] values = new int[MIN_CAPACITY];
    private int size;

    /** The value of {@code key}, or {@code absent}. */
    public int get(int key, int absent) {
        int mask = keys.length - 1;
        for (int i = slot(key, mask); keys[i] != 0; i = (i + 1) & mask) {
            if (keys[i] == key) {
                return values[i];
            }
        }
        return absent;
    }

    /** Sets the value of {@code key}, which is positive. */
    public void put(int key, int value) {
        assert key > 0 : "key=" + key;
        if (size * 2 >= keys.length) {
            resize(keys.length * 2);
        }
        int mask = keys.length - 1;
        int i = slot(key, mask);
        while (keys[i] != 0 && keys[i] != key) {
            i = (i + 1) & mask;
        }
        if (keys[i] == 0) {
            keys[i] = key;
            size++;
        }
        values[i] = value;
    }

    /** Removes {@code key} and returns its value, or {@code absent}. */
    public int remove(int key, int absent) {
        int mask = keys.length - 1;
        int i = slot(key, mask);
        while (keys[i] != key) {
            if (keys[i] == 0) {
                return absent;
            }
            i = (i + 1) & mask;
        }
        final int value = values[i];
        size--;
        int hole = i;
        for (int j = (i + 1) & mask; keys[j] != 0; j = (j + 1) & mask) {
            if (((j - slot(keys[j], mask)) & mask) >= ((j - hole) & mask)) {
                keys[hole] = keys[j];
                values[hole] = values[j];
                hole = j;
            }
        }
        keys[hole] = 0;
        return value;
    }

    /** Number of keys. */
    public int size() {
        return size;
    }

    /** The keys in no order. */
    public int[] keys() {
        int[] result = new int[size];
        int n = 0;
        for (int key : keys) {
            if (key != 0) {
                result[n++] = key;
            }
        }
        return result;
    }

    private void resize(int capacity) {
        final int[] oldKeys = keys;
        final int[] oldValues = values;
        keys = new int[capacity];
        values = new int[capacity];
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                put(oldKeys[i], oldValues[i]);
            }
        }
    }

    private static int slot(int key, int mask) {
        int h = key * 0x9E3779B9;
        return (h ^ (h >>> 15)) & mask;
    }
}
