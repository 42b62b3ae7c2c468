package org.ustore.ceph;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Map;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/** Fills the memory of one reply from front to back; its size is known before. Strings are u32 length, then the bytes. */
final class ReplyWriter {
    private final MemorySegment to;
    private long at;

    /** A writer of a reply of {@code bytes} bytes. */
    ReplyWriter(Natives natives, long reply, long bytes) {
        this.to = natives.allocate(reply, bytes);
    }

    static long size(ByteString string) {
        return 4L + string.length();
    }

    static long size(Collection<ByteString> strings) {
        long size = 0;
        for (ByteString string : strings) {
            size += size(string);
        }
        return size;
    }

    static long size(Map<ByteString, ByteString> entries) {
        return size(entries.keySet()) + size(entries.values());
    }

    ReplyWriter put(int number) {
        to.set(JAVA_INT_UNALIGNED, at, number);
        at += 4;
        return this;
    }

    ReplyWriter put(long number) {
        to.set(JAVA_LONG_UNALIGNED, at, number);
        at += 8;
        return this;
    }

    ReplyWriter put(ByteString string) {
        put(string.length());
        return putBare(string);
    }

    /** The bytes alone, where the call's result is their number. */
    ReplyWriter putBare(ByteString string) {
        string.copyTo(to, at);
        at += string.length();
        return this;
    }

    ReplyWriter put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, at, bytes.length);
        at += bytes.length;
        return this;
    }

    ReplyWriter put(Collection<ByteString> strings) {
        strings.forEach(this::put);
        return this;
    }

    ReplyWriter put(Map<ByteString, ByteString> entries) {
        entries.forEach((key, value) -> put(key).put(value));
        return this;
    }

    ReplyWriter put(ObjectId id) {
        at = NeutralForm.put(id, to, at);
        return this;
    }

    ReplyWriter put(CollectionId id) {
        NeutralForm.put(id, to, at);
        at += NeutralForm.COLLECTION_BYTES;
        return this;
    }
}
