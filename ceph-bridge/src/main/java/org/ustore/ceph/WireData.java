package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.Payload;

/**
 * The data of one transaction, consumed from front to back across its pieces. Names and values are copied, payloads are
 * views. Every length and count is held against the bytes that are left before anything is allocated for it.
 */
final class WireData {
    /** Entries to make room for at once; a count may be corrupt and still fit the bytes that are left. */
    private static final int MAX_PRESIZE = 1024;

    /** Longest name, key or value that is copied: what a Java array holds for sure, and far more than an OSD allows. */
    private static final int MAX_STRING_BYTES = 1 << 30;

    private final MemorySegment[] pieces;
    private int piece;
    private long at;
    private long left;

    WireData(MemorySegment[] pieces) {
        this.pieces = pieces;
        for (MemorySegment one : pieces) {
            left += one.byteSize();
        }
    }

    /** Bytes not consumed yet. */
    long left() {
        return left;
    }

    /** A string, or a buffer that is kept. */
    ByteString string(WireError where, String field) {
        long length = length(where, field);
        if (length > MAX_STRING_BYTES) {
            throw where.invalid(field, length, MAX_STRING_BYTES + " bytes");
        }
        byte[] bytes = new byte[(int) length];
        copy(bytes);
        return ByteString.wrap(bytes);
    }

    /** A buffer, as a view; its length must be {@code expected}. */
    Payload payload(WireError where, long expected) {
        long length = length(where, "data length");
        if (length != expected) {
            throw where.invalid("data length", length, "the operation's length " + expected);
        }
        return Payload.of(take(length));
    }

    /** Skips a buffer. */
    void skip(WireError where, String field) {
        take(length(where, field));
    }

    Map<ByteString, ByteString> map(WireError where) {
        int count = count(where, "map entries", WireFormat.MIN_PAIR_BYTES);
        if (count == 1) {
            return Map.of(string(where, "key length"), string(where, "value length"));
        }
        Map<ByteString, ByteString> map = LinkedHashMap.newLinkedHashMap(Math.min(count, MAX_PRESIZE));
        for (int i = 0; i < count; i++) {
            ByteString key = string(where, "key length");
            map.put(key, string(where, "value length"));
        }
        return map;
    }

    Set<ByteString> set(WireError where) {
        int count = count(where, "set entries", WireFormat.MIN_STRING_BYTES);
        Set<ByteString> set = LinkedHashSet.newLinkedHashSet(Math.min(count, MAX_PRESIZE));
        for (int i = 0; i < count; i++) {
            set.add(string(where, "key length"));
        }
        return set;
    }

    private long length(WireError where, String field) {
        long length = number(where, field);
        if (length > left) {
            throw where.invalid(field, length, left + " bytes of data left");
        }
        return length;
    }

    private int count(WireError where, String field, int minEntryBytes) {
        long count = number(where, field);
        if (count > left / minEntryBytes) {
            throw where.invalid(field, count, left / minEntryBytes + ", for " + left + " bytes of data left");
        }
        return Math.toIntExact(count);
    }

    private long number(WireError where, String field) {
        if (left < Integer.BYTES) {
            throw where.invalid(field + ": bytes of data left", left, "at least " + Integer.BYTES);
        }
        skipFinishedPieces();
        MemorySegment now = pieces[piece];
        if (now.byteSize() - at >= Integer.BYTES) {
            int value = now.get(JAVA_INT_UNALIGNED, at);
            at += Integer.BYTES;
            left -= Integer.BYTES;
            return Integer.toUnsignedLong(value);
        }
        byte[] bytes = new byte[Integer.BYTES];
        copy(bytes);
        return Integer.toUnsignedLong(MemorySegment.ofArray(bytes).get(JAVA_INT_UNALIGNED, 0));
    }

    private void copy(byte[] target) {
        int done = 0;
        while (done < target.length) {
            skipFinishedPieces();
            MemorySegment now = pieces[piece];
            int n = (int) Math.min(target.length - done, now.byteSize() - at);
            MemorySegment.copy(now, JAVA_BYTE, at, target, done, n);
            done += n;
            at += n;
        }
        left -= target.length;
    }

    private List<MemorySegment> take(long length) {
        if (length == 0) {
            return List.of();
        }
        skipFinishedPieces();
        if (pieces[piece].byteSize() - at >= length) {
            MemorySegment slice = pieces[piece].asSlice(at, length);
            at += length;
            left -= length;
            return List.of(slice);
        }
        List<MemorySegment> slices = new ArrayList<>();
        long missing = length;
        while (missing > 0) {
            skipFinishedPieces();
            long n = Math.min(missing, pieces[piece].byteSize() - at);
            slices.add(pieces[piece].asSlice(at, n));
            at += n;
            missing -= n;
        }
        left -= length;
        return slices;
    }

    /** Goes to the piece that holds the next byte, of which there is at least one. */
    private void skipFinishedPieces() {
        while (at == pieces[piece].byteSize()) {
            piece++;
            at = 0;
        }
    }
}
