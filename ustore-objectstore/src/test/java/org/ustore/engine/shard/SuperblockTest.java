package org.ustore.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.ustore.engine.device.Checksum;
import org.ustore.objectstore.ObjectStoreException;

/** The superblock's bytes are fixed; any change to them is noticed. */
final class SuperblockTest {
    private static final Superblock SUPERBLOCK = new Superblock(
            new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L),
            0x11,
            true,
            0x222222,
            2,
            0x3333,
            0x4444444444444444L,
            0x55,
            0x66,
            0x77,
            0x8888,
            0x99,
            0xaa);

    /** The first 112 bytes; zeros follow up to the checksum. */
    private static final String GOLDEN = "5553746f72655342" + "01000000" + "00000000" + "01000000" + "00100000"
            + "0807060504030201" + "100f0e0d0c0b0a09" + "1100000000000000" + "22222200" + "02000000" + "33330000"
            + "88880000" + "99000000" + "00000000" + "4444444444444444" + "5500000000000000" + "6600000000000000"
            + "7700000000000000" + "aa00000000000000";

    private static ByteBuffer encoded() {
        ByteBuffer block = ByteBuffer.allocate(Superblock.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        SUPERBLOCK.encode(block);
        return block;
    }

    @Test
    void bytesAreThoseOfTheFormat() {
        byte[] expected = new byte[Superblock.BYTES];
        byte[] head = HexFormat.of().parseHex(GOLDEN);
        System.arraycopy(head, 0, expected, 0, head.length);
        ByteBuffer golden = ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN);
        golden.putInt(4092, Checksum.of(golden, 0, 4092));
        assertThat(encoded().array()).isEqualTo(expected);
        assertThat(Superblock.decode(golden)).isEqualTo(SUPERBLOCK);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        byte[] block = encoded().array();
        for (int bit = 0; bit < block.length * 8; bit++) {
            block[bit / 8] ^= (byte) (1 << bit % 8);
            ByteBuffer damaged = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
            assertThatThrownBy(() -> Superblock.decode(damaged)).isInstanceOf(ObjectStoreException.class);
            block[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    private static ByteBuffer withChange(int offset, int value) {
        ByteBuffer block = encoded();
        block.putInt(offset, value);
        return block.putInt(4092, Checksum.of(block, 0, 4092));
    }

    @Test
    void laterFormatsAreRefusedByName() {
        assertThatThrownBy(() -> Superblock.decode(withChange(8, 2)))
                .hasMessageContaining("EOPNOTSUPP")
                .hasMessageContaining("version=2 (known: 1)");
        assertThatThrownBy(() -> Superblock.decode(withChange(12, 0x40)))
                .hasMessageContaining("unknown feature flags=0x40");
    }
}
