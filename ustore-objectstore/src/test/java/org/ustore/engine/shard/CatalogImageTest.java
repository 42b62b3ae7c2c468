package org.ustore.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.ustore.engine.device.BlockDevice;
import org.ustore.engine.device.DeviceWriter;
import org.ustore.engine.device.SimulatedDisk;
import org.ustore.engine.meta.Catalog;
import org.ustore.engine.meta.CollectionState;
import org.ustore.engine.meta.Onode;
import org.ustore.engine.meta.Usage;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;
import org.ustore.objectstore.ObjectStoreException;

/** The bytes of a checkpoint image are fixed by the file {@code image.hex}; damage anywhere in it is noticed. */
final class CatalogImageTest {
    private static final long SEED = 1;
    private static final int[] SCATTERED = {300, 301, 40, 41, 42, 7, 900, 901};

    private static Catalog catalog() {
        Catalog catalog = new Catalog();
        CollectionState meta = new CollectionState(CollectionId.META, 0);
        catalog.add(meta);
        catalog.add(new CollectionState(CollectionId.pg(1, 2), 3));
        Onode onode = new Onode(meta.objects().owner());
        onode.size = 1_000_000;
        onode.setOmapHeader(ByteString.of("header"));
        onode.attributes().put(ByteString.of("_"), ByteString.of("info"));
        onode.blocks().set(0, 1000, 0x11111111);
        onode.blocks().set(1, 1001, 0x22222222);
        onode.blocks().set(200, 1002, 0x33333333);
        for (int i = 0; i < 40; i++) {
            onode.omap().put(ByteString.of("key" + i), ByteString.wrap(new byte[100 + i]));
        }
        meta.objects().put(ObjectId.meta(5, ByteString.of("a")), onode);
        meta.objects()
                .put(
                        ObjectId.meta(7, ByteString.of("b")),
                        new Onode(meta.objects().owner()));
        return catalog;
    }

    private static Superblock superblock(int firstBlocks) {
        return new Superblock(new UUID(1, 2), 1, true, 1024, 2, 8, 1, 0, 1, 0, SCATTERED[0], firstBlocks, 77);
    }

    private static int write(SimulatedDisk disk) {
        try (BlockDevice device = disk.open(false);
                DeviceWriter writer = new DeviceWriter(device, 4, 2, ImageWriter.MAX_SEGMENT_BLOCKS * 4096)) {
            ImageWriter out = new ImageWriter(writer, 77, SCATTERED);
            CatalogImage.encode(catalog().snapshot(), out);
            int used = out.finish();
            writer.flush();
            return used;
        }
    }

    private static Catalog read(SimulatedDisk disk) {
        try (BlockDevice device = disk.open(true)) {
            Catalog catalog = new Catalog();
            CatalogImage.decode(new ImageReader(device, superblock(ImageWriter.firstRun(SCATTERED))), catalog);
            return catalog;
        }
    }

    private static byte[] content(SimulatedDisk disk, int used) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < used; i++) {
            bytes.writeBytes(disk.block(SCATTERED[i]));
        }
        return bytes.toByteArray();
    }

    private static byte[] golden() throws IOException {
        try (InputStream in = CatalogImageTest.class.getResourceAsStream("image.hex")) {
            if (in == null) {
                throw new AssertionError("no golden file");
            }
            return HexFormat.of()
                    .parseHex(new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", ""));
        }
    }

    @Test
    void bytesAreThoseOfTheFormat() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(4 << 20, SEED);
        int used = write(disk);
        assertThat(used).as("an image of several segments").isGreaterThanOrEqualTo(2);
        assertThat(HexFormat.of().formatHex(content(disk, used)))
                .isEqualTo(HexFormat.of().formatHex(golden()));
        SimulatedDisk fresh = new SimulatedDisk(4 << 20, SEED);
        byte[] golden = golden();
        for (int i = 0; i < golden.length / 4096; i++) {
            fresh.setBlock(SCATTERED[i], java.util.Arrays.copyOfRange(golden, i * 4096, (i + 1) * 4096));
        }
        Catalog found = read(fresh);
        assertThat(found.collections())
                .extracting(CollectionState::id)
                .isEqualTo(List.of(CollectionId.META, CollectionId.pg(1, 2)));
        Usage expected = new Usage();
        Usage usage = new Usage();
        catalog().collections().forEach(c -> c.objects().forEach(expected::addObject));
        found.collections().forEach(c -> c.objects().forEach(usage::addObject));
        assertThat(usage.toString()).isEqualTo(expected.toString());
    }

    @Test
    void aFlippedBitOfWhatIsUsedIsNoticed() {
        SimulatedDisk disk = new SimulatedDisk(4 << 20, SEED);
        int used = write(disk);
        byte[] content = content(disk, used);
        int end = content.length;
        while (content[end - 1] == 0) {
            end--;
        }
        for (int at = 0; at < end; at++) {
            // Bytes 20 to 23 of a header are spare; the checksum covers them too.
            long offset = SCATTERED[at / 4096] * 4096L + at % 4096;
            disk.flip(offset, at % 8);
            assertThatThrownBy(() -> read(disk)).as("byte %s", at).isInstanceOf(ObjectStoreException.class);
            disk.flip(offset, at % 8);
        }
        assertThat(read(disk).collections()).hasSize(2);
    }

    @Test
    void anImageThatEndsEarlyIsNoticed() {
        SimulatedDisk disk = new SimulatedDisk(4 << 20, SEED);
        try (BlockDevice device = disk.open(false);
                DeviceWriter writer = new DeviceWriter(device, 4, 2, ImageWriter.MAX_SEGMENT_BLOCKS * 4096)) {
            int _ = new ImageWriter(writer, 77, SCATTERED).finish();
        }
        assertThatThrownBy(() -> read(disk)).hasMessageContaining("segment of 0 blocks");
    }
}
