package org.ustore.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** A batch header's bytes are fixed; damage and other generations are noticed. */
final class BatchHeaderTest {
    private static final BatchHeader HEADER = new BatchHeader(0x1111111111111111L, 2, 3, 4, 5, 6, 7, 0x08080808);

    private static final String GOLDEN = "01000000" + "554c4f47" + "1111111111111111" + "0200000000000000"
            + "0300000000000000" + "0000000000000000" + "0400000000000000" + "0500000000000000" + "06000000"
            + "07000000"
            + "08080808" + "38361b8c";

    private static MemorySegment encoded() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[BatchHeader.BYTES]);
        HEADER.encode(bytes);
        return bytes;
    }

    @Test
    void bytesAreThoseOfTheFormat() {
        assertThat(HexFormat.of().formatHex(encoded().toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(GOLDEN);
        MemorySegment golden = MemorySegment.ofArray(HexFormat.of().parseHex(GOLDEN));
        assertThat(BatchHeader.decode(golden, 0, HEADER.generation())).isEqualTo(HEADER);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        MemorySegment bytes = encoded();
        for (int bit = 0; bit < BatchHeader.BYTES * 8; bit++) {
            byte before = bytes.get(ValueLayout.JAVA_BYTE, bit / 8);
            bytes.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before ^ 1 << bit % 8));
            assertThat(BatchHeader.decode(bytes, 0, HEADER.generation())).isNull();
            bytes.set(ValueLayout.JAVA_BYTE, bit / 8, before);
        }
    }

    @Test
    void anotherGenerationIsNotOurs() {
        assertThat(BatchHeader.decode(encoded(), 0, HEADER.generation() + 1)).isNull();
    }
}
