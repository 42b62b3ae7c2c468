package org.ustore.engine.container.tree;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ustore.objectstore.ObjectStoreException;

/**
 * Checks a frozen tree page by page: what is on the device is read from there. Reports and goes on; used once, by one
 * thread.
 */
final class Verifier {
    private static final int SHOWN_KEY_BYTES = 32;
    private static final Bound FIRST = Bound.NONE;

    private final PageIo io;
    private final Consumer<String> errors;
    /** First block and number of blocks of the pages found, packed as in a cell. */
    private long[] places = new long[1024];

    private int placeCount;
    private long pages;
    private boolean unreadable;

    /** The cell before, in the order of keys, and how many bytes of its value have not come yet. */
    private @Nullable Bound last;

    private int missingBytes;

    Verifier(PageIo io, Consumer<String> errors) {
        this.io = io;
        this.errors = errors;
    }

    /** Checks all; returns the number of pages. */
    long verify(FrozenRoot root) {
        long keys = check(root.ref(), FIRST, null);
        if (!unreadable) {
            checkValueEnds("the end");
            if (keys != root.keys()) {
                errors.accept("keys expected=" + root.keys() + " found=" + keys);
            }
        }
        checkPlaces();
        return pages;
    }

    /** Checks a page that holds what is at or after {@code low} and before {@code high}; returns its keys. */
    private long check(PageRef ref, Bound low, @Nullable Bound high) {
        pages++;
        Page page = read(ref);
        if (page == null) {
            unreadable = true;
            missingBytes = 0;
            last = null;
            return 0;
        }
        if (ref.block != 0) {
            addPlace(ref);
        }
        if (page.level > 0 && page.count == 0) {
            errors.accept(name(ref) + ": inner page without children");
        }
        return page.level > 0 ? checkInner(ref, page, low, high) : checkLeaf(ref, page, low, high);
    }

    private @Nullable Page read(PageRef ref) {
        Page page = ref.page;
        if (!ref.written && page != null) {
            return page;
        }
        try {
            return io.read(ref);
        } catch (ObjectStoreException e) {
            errors.accept(e.getMessage());
            return null;
        }
    }

    private long checkInner(PageRef ref, Page page, Bound low, @Nullable Bound high) {
        long keys = 0;
        Bound childLow = low;
        for (int i = 0; i < page.count; i++) {
            @Nullable Bound childHigh = i + 1 < page.count ? bound(page, i + 1) : high;
            if (childHigh != null && compare(childLow, childHigh) >= 0) {
                errors.accept(
                        name(ref) + ": order at child " + i + ": " + show(childLow) + " before " + show(childHigh));
            }
            boolean before = unreadable;
            unreadable = false;
            long found = check(page.children[i], childLow, childHigh);
            if (!unreadable && found != page.childCount(i)) {
                errors.accept(
                        name(ref) + ": keys of child " + i + " expected=" + page.childCount(i) + " found=" + found);
            }
            unreadable |= before;
            keys += found;
            childLow = childHigh == null ? childLow : childHigh;
        }
        return keys;
    }

    private long checkLeaf(PageRef ref, Page page, Bound low, @Nullable Bound high) {
        long keys = 0;
        for (int i = 0; i < page.count; i++) {
            Bound cell = bound(page, i);
            if (compare(cell, low) < 0 || (high != null && compare(cell, high) >= 0)) {
                errors.accept(name(ref) + ": " + show(cell) + " outside of its page");
            }
            if (last != null && compare(last, cell) >= 0) {
                errors.accept(name(ref) + ": order: " + show(last) + " before " + show(cell));
            }
            if (cell.part() == 0) {
                checkValueEnds(name(ref));
                keys++;
                missingBytes = page.length(i) - page.valueBytes(i);
            } else {
                checkPart(ref, page, i, cell);
            }
            last = cell;
        }
        return keys;
    }

    private void checkPart(PageRef ref, Page page, int slot, Bound cell) {
        Bound before = last;
        if (before == null) {
            return; // The page before could not be read.
        }
        boolean follows = Arrays.equals(before.key(), cell.key()) && before.part() + 1 == cell.part();
        if (!follows || page.length(slot) != Math.min(missingBytes, PageFormat.PART_BYTES)) {
            errors.accept(name(ref) + ": " + show(cell) + " of " + page.length(slot) + " bytes after " + show(before)
                    + " with " + missingBytes + " bytes missing");
        }
        missingBytes = Math.max(0, missingBytes - page.length(slot));
    }

    private void checkValueEnds(String where) {
        if (missingBytes > 0 && last != null) {
            errors.accept(where + ": value of " + show(last) + " lacks " + missingBytes + " bytes");
        }
        missingBytes = 0;
    }

    private static Bound bound(Page page, int slot) {
        return new Bound(page.key(slot), page.part(slot));
    }

    private static int compare(Bound a, Bound b) {
        int order = Arrays.compareUnsigned(a.key(), b.key());
        return order != 0 ? order : a.part() - b.part();
    }

    private void addPlace(PageRef ref) {
        if (placeCount == places.length) {
            places = Arrays.copyOf(places, 2 * placeCount);
        }
        places[placeCount++] = ref.block << 8 | ref.blocks;
    }

    private void checkPlaces() {
        Arrays.sort(places, 0, placeCount);
        for (int i = 1; i < placeCount; i++) {
            long end = (places[i - 1] >>> 8) + (places[i - 1] & 0xff);
            if (places[i] >>> 8 < end) {
                errors.accept(
                        "metadata pages overlap: block=" + (places[i - 1] >>> 8) + " and block=" + (places[i] >>> 8));
            }
        }
    }

    private static String name(PageRef ref) {
        return "metadata page block=" + ref.block + " level=" + ref.level;
    }

    private static String show(Bound bound) {
        int shown = Math.min(SHOWN_KEY_BYTES, bound.key().length);
        return "key=" + HexFormat.of().formatHex(bound.key(), 0, shown) + (shown < bound.key().length ? "..." : "")
                + " part=" + bound.part();
    }
}
