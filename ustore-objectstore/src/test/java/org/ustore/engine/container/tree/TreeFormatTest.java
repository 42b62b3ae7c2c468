package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.ustore.engine.container.RootRef;
import org.ustore.engine.container.WriteBatch;
import org.ustore.engine.device.BlockDevice;

/** The bytes of a small tree are those checked in, and those checked in are read. */
final class TreeFormatTest {
    private static final int ROW = 32;
    private static final int BLOCKS = 64;
    private static final String GOLDEN = "/org/ustore/engine/container/tree/tree.hex";

    private static TestStore sample() {
        TestStore test = new TestStore(BLOCKS, 1 << 20);
        byte[] longKey = new byte[6000];
        test.apply(new WriteBatch()
                .put("alpha".getBytes(StandardCharsets.US_ASCII), "first".getBytes(StandardCharsets.US_ASCII))
                .put("beta".getBytes(StandardCharsets.US_ASCII), new byte[10_000])
                .patch("beta".getBytes(StandardCharsets.US_ASCII), 9_998, new byte[] {1, 2})
                .put("gamma".getBytes(StandardCharsets.US_ASCII), new byte[0])
                .put(longKey, new byte[] {3})
                .put(Arrays.copyOf(longKey, 5999), new byte[3000]));
        test.checkpoint();
        return test;
    }

    /** The root reference, then all rows of the device that are not zero, each behind its offset. */
    private static String dump(TestStore test) {
        byte[] root = new byte[RootRef.BYTES];
        test.root.encode(MemorySegment.ofArray(root), 0);
        StringBuilder text = new StringBuilder("root " + HexFormat.of().formatHex(root) + "\n");
        for (int block = 0; block < BLOCKS; block++) {
            byte[] bytes = test.disk.block(block);
            for (int at = 0; at < bytes.length; at += ROW) {
                byte[] row = Arrays.copyOfRange(bytes, at, at + ROW);
                if (!Arrays.equals(row, new byte[ROW])) {
                    text.append(String.format("%06x ", block * BlockDevice.BLOCK_BYTES + at))
                            .append(HexFormat.of().formatHex(row))
                            .append('\n');
                }
            }
        }
        return text.toString();
    }

    private static String golden() throws IOException {
        try (InputStream in = TreeFormatTest.class.getResourceAsStream(GOLDEN)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void theBytesOfATree() throws IOException {
        TestStore test = sample();
        assertThat(test.root.height()).isEqualTo(2);
        assertThat(dump(test)).isEqualTo(golden());
    }

    @Test
    void theTreeCheckedIn() throws IOException {
        TestStore test = new TestStore(BLOCKS, 1 << 20);
        golden().lines().forEach(line -> {
            byte[] bytes = HexFormat.of().parseHex(line.substring(line.indexOf(' ') + 1));
            if (line.startsWith("root ")) {
                test.root = RootRef.decode(MemorySegment.ofArray(bytes), 0);
            } else {
                int at = Integer.parseInt(line.substring(0, 6), 16);
                byte[] block = test.disk.block(at / BlockDevice.BLOCK_BYTES);
                System.arraycopy(bytes, 0, block, at % BlockDevice.BLOCK_BYTES, ROW);
                test.disk.setBlock(at / BlockDevice.BLOCK_BYTES, block);
            }
        });
        test.installed = sample().model;
        test.restart();
        test.assertGood("checked in");
    }
}
