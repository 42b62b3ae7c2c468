package org.ustore.engine.space;

import java.util.Arrays;

/** A growing list of ints without boxes. */
public final class IntList {
    private int[] values = new int[16];
    private int size;

    /** Appends. */
    public void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    /** Appends all of {@code other}. */
    public void addAll(IntList other) {
        for (int i = 0; i < other.size; i++) {
            add(other.values[i]);
        }
    }

    /** The value at {@code index}, 0 to {@code size() - 1}. */
    public int get(int index) {
        return values[index];
    }

    /** Removes and returns the last value; the list is not empty. */
    public int removeLast() {
        return values[--size];
    }

    /** Number of values. */
    public int size() {
        return size;
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** A copy. */
    public int[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
