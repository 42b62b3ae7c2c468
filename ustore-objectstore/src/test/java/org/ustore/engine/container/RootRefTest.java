package org.ustore.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.ustore.objectstore.ObjectStoreException;

/** A root reference's bytes are fixed; damage is noticed. */
final class RootRefTest {
    private static final RootRef ROOT = new RootRef(0x1122334455L, 2, 0x0a0b0c0d, 4, 12_000_000, 77);

    private static final String GOLDEN = "01000000" + "04000000" + "5544332211000000" + "02000000" + "00000000"
            + "0d0c0b0a" + "00000000" + "001bb70000000000" + "4d00000000000000" + "00000000" + "09fe7bb7";

    @Test
    void bytesAreThoseOfTheFormat() {
        byte[] bytes = new byte[RootRef.BYTES + 3];
        ROOT.encode(MemorySegment.ofArray(bytes), 3);
        assertThat(HexFormat.of().formatHex(bytes, 3, bytes.length)).isEqualTo(GOLDEN);
        assertThat(RootRef.decode(MemorySegment.ofArray(bytes), 3)).isEqualTo(ROOT);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        byte[] bytes = HexFormat.of().parseHex(GOLDEN);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> RootRef.decode(MemorySegment.ofArray(bytes), 0))
                    .isInstanceOf(ObjectStoreException.class);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }
}
