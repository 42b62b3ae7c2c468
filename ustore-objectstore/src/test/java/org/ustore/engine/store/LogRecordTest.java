package org.ustore.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.ustore.engine.meta.ByteReader;
import org.ustore.engine.meta.ByteWriter;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/** The bytes of every change are fixed by the file {@code log-record.hex}. */
final class LogRecordTest {
    private static ByteString bytes(String text) {
        return ByteString.of(text);
    }

    private static void everyChange(Changes to) {
        CollectionId pg = CollectionId.pg(2, 0x1f, (byte) 1);
        ObjectId object =
                new ObjectId((byte) 1, 2, 0x3333333f, bytes("ns"), bytes("key"), bytes("name"), 4, 5, false, false);
        byte[] data = new byte[4096];
        java.util.Arrays.fill(data, (byte) 0xab);
        to.makeCollection(pg, 5);
        to.select(pg, object);
        to.create();
        to.blocks(7, new int[] {100}, new int[] {0xcafe}, 32768, Changes.Kind.INLINE, MemorySegment.ofArray(data), 0);
        to.blocks(8, new int[] {9, 10}, new int[] {1, 2}, 40960, Changes.Kind.REDIRECTED, MemorySegment.NULL, 0);
        to.blocks(1, new int[] {9}, new int[] {1}, 40960, Changes.Kind.SHARED, MemorySegment.NULL, 0);
        to.punch(2, 3, 40000);
        to.setAttributes(Map.of(bytes("_"), bytes("info")));
        to.removeAttribute(bytes("_"));
        to.removeAllAttributes();
        to.omapSet(Map.of(bytes("k"), bytes("v")));
        to.omapRemove(Set.of(bytes("k")));
        to.omapRemoveRange(bytes("a"), bytes("z"));
        to.omapSetHeader(bytes("header"));
        to.omapClear();
        to.cloneTo(object.withSnap(3));
        to.rename(CollectionId.META, ObjectId.meta(1, bytes("m")));
        to.select(pg, object.withSnap(3));
        to.remove();
        to.setBits(pg, 6);
        to.split(pg, CollectionId.pg(2, 0x3f, (byte) 1), 6, 0x3f);
        to.merge(CollectionId.pg(2, 0x3f, (byte) 1), pg, 5);
        to.removeCollection(pg);
    }

    private static byte[] encoded() {
        ByteWriter out = new ByteWriter(16);
        everyChange(new LogRecord(out));
        return out.memory().asSlice(0, out.size()).toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] golden() throws IOException {
        try (InputStream in = LogRecordTest.class.getResourceAsStream("log-record.hex")) {
            if (in == null) {
                throw new AssertionError("no golden file");
            }
            return HexFormat.of()
                    .parseHex(new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", ""));
        }
    }

    @Test
    void bytesAreThoseOfTheFormat() throws IOException {
        assertThat(HexFormat.of().formatHex(encoded())).isEqualTo(HexFormat.of().formatHex(golden()));
        byte[] golden = golden();
        ByteWriter again = new ByteWriter(16);
        LogRecord.decode(new ByteReader(MemorySegment.ofArray(golden), 0, golden.length), new LogRecord(again));
        assertThat(again.memory().asSlice(0, again.size()).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(golden);
    }

    @Test
    void aRecordCutShortNeverReadsPastItsEnd() {
        byte[] whole = encoded();
        for (int length = 0; length < whole.length; length++) {
            ByteReader in = new ByteReader(MemorySegment.ofArray(whole), 0, length);
            Throwable thrown = catchThrowable(() -> LogRecord.decode(in, new Changes() {}));
            if (thrown != null) {
                assertThat(thrown).as("cut at %s", length).isInstanceOf(ObjectStoreException.class);
            }
        }
    }
}
