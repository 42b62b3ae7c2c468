package org.ustore.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** A batch's bytes are fixed; they replay to the same; damage of any kind is noticed. */
final class WriteBatchTest {
    private static final String GOLDEN = "01000000" + "04000000" + "2b000000"
            + "01" + "0300" + "05000000" + "6b6579" + "76616c7565"
            + "02" + "0300" + "6f6c64"
            + "03" + "0100" + "0200" + "61" + "6162"
            + "04" + "0100" + "07000000" + "02000000" + "70" + "fffe";

    private static byte[] b(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private static WriteBatch sample() {
        return new WriteBatch()
                .put(b("key"), b("value"))
                .delete(b("old"))
                .deleteRange(b("a"), b("ab"))
                .patch(b("p"), 7, b("\u00ff\u00fe"));
    }

    private static byte[] encoded(WriteBatch batch) {
        byte[] bytes = new byte[batch.encodedBytes()];
        batch.encode(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    private static WriteBatch decode(byte[] bytes) {
        return WriteBatch.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    /** Adds the checksum that makes {@code body} whole. */
    private static byte[] sealed(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body, 0, body.length);
        byte[] bytes = Arrays.copyOf(body, body.length + 4);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(body.length, (int) crc.getValue());
        return bytes;
    }

    private static void assertRefused(byte[] bytes, ErrorCode code) {
        assertThatThrownBy(() -> decode(bytes))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void bytesAreThoseOfTheFormat() {
        byte[] golden = sealed(HexFormat.of().parseHex(GOLDEN));
        assertThat(HexFormat.of().formatHex(encoded(sample())))
                .isEqualTo(HexFormat.of().formatHex(golden))
                .endsWith("44385c8d");
        assertThat(encoded(decode(golden))).isEqualTo(golden);
    }

    @Test
    void aDecodedBatchDoesTheSame() {
        for (long seed = 1; seed <= 50; seed++) {
            WriteBatch batch = new RandomBatches(seed, 100).next(30);
            Model expected = new Model();
            batch.forEach(expected);
            WriteBatch again = decode(encoded(batch));
            Model found = new Model();
            again.forEach(found);
            assertThat(again.operations()).isEqualTo(batch.operations());
            assertThat(encoded(again)).as("seed " + seed).isEqualTo(encoded(batch));
            assertThat(found.size()).as("seed " + seed).isEqualTo(expected.size());
        }
    }

    @Test
    void aClearedBatchIsEmpty() {
        WriteBatch batch = sample();
        batch.clear();
        assertThat(batch.isEmpty()).isTrue();
        assertThat(encoded(batch)).isEqualTo(encoded(new WriteBatch()));
        assertThat(decode(encoded(batch)).isEmpty()).isTrue();
    }

    @Test
    void everyCutIsNoticed() {
        byte[] bytes = encoded(sample());
        for (int length = 0; length < bytes.length; length++) {
            assertRefused(Arrays.copyOf(bytes, length), ErrorCode.EIO);
        }
        assertThatThrownBy(() -> WriteBatch.decode(MemorySegment.ofArray(bytes), 1, bytes.length))
                .isInstanceOf(ObjectStoreException.class);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        byte[] bytes = encoded(sample());
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused(bytes, ErrorCode.EIO);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    /** What a broken writer could have made: whole by its checksum, but not a batch. */
    @Test
    void nonsenseWithAGoodChecksumIsNoticed() {
        byte[] body = HexFormat.of().parseHex(GOLDEN);
        for (int at = 4; at < body.length; at++) {
            for (int value : new int[] {0, 1, 5, 0x7f, 0x80, 0xff}) {
                byte[] changed = body.clone();
                changed[at] = (byte) value;
                try {
                    decode(sealed(changed)).forEach(new Model());
                } catch (ObjectStoreException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.EIO);
                }
            }
        }
        byte[] later = body.clone();
        later[0] = 2;
        assertRefused(sealed(later), ErrorCode.EOPNOTSUPP);
        byte[] unknown = body.clone();
        unknown[12] = 5;
        assertRefused(sealed(unknown), ErrorCode.EIO);
        byte[] longKey = body.clone();
        longKey[14] = 0x21;
        assertRefused(sealed(longKey), ErrorCode.EIO);
        byte[] longValue = body.clone();
        longValue[18] = 0x7f;
        assertRefused(sealed(longValue), ErrorCode.EIO);
    }
}
