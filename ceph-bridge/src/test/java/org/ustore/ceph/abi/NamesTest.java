package org.ustore.ceph.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.ustore.objectstore.ByteString;
import org.ustore.objectstore.CollectionId;
import org.ustore.objectstore.ObjectId;

/** Objects sort and collections print in Java as they do in Ceph, which has sorted and printed the names itself. */
@Tag("native")
final class NamesTest {
    static final List<Path> PROGRAMS = List.of(InstalledCeph.OSD, InstalledCeph.TOOL);

    private static final int OBJECTS = 2000;
    private static final int COLLECTIONS = 1000;

    /** Names of one rank are equal to Ceph. */
    private record Ranked(int rank, ObjectId name) {}

    @BeforeAll
    static void assumeCeph() throws IOException, InterruptedException {
        InstalledCeph.assumeInstalled();
    }

    @ParameterizedTest
    @FieldSource("PROGRAMS")
    void objectsSortAsInCeph(Path program, @TempDir Path folder) throws IOException, InterruptedException {
        long seed = InstalledCeph.seed();
        ByteBuffer in = names(program, "objects", seed, OBJECTS, folder);
        List<Ranked> objects = new ArrayList<>();
        while (in.hasRemaining()) {
            int rank = in.getInt();
            int end = in.getInt() + in.position();
            objects.add(new Ranked(rank, object(in)));
            assertThat(in.position()).as("end of an object name").isEqualTo(end);
        }
        assertThat(objects).hasSize(OBJECTS);
        for (Ranked a : objects) {
            for (Ranked b : objects) {
                int expected = Integer.compare(a.rank, b.rank);
                int found = Integer.signum(a.name.compareTo(b.name));
                if (found != expected) {
                    throw new AssertionError("compare(" + a.name + ", " + b.name + ") is " + expected + " in Ceph, "
                            + found + " here; " + InstalledCeph.repeatWith(seed));
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("PROGRAMS")
    void collectionsPrintAsInCeph(Path program, @TempDir Path folder) throws IOException, InterruptedException {
        long seed = InstalledCeph.seed();
        ByteBuffer in = names(program, "collections", seed, COLLECTIONS, folder);
        int count = 0;
        for (; in.hasRemaining(); count++) {
            CollectionId collection = collection(in);
            byte[] text = new byte[in.getInt()];
            in.get(text);
            String name = new String(text, StandardCharsets.US_ASCII);
            assertThat(collection).as(InstalledCeph.repeatWith(seed)).hasToString(name);
            assertThat(CollectionId.parse(name))
                    .as(InstalledCeph.repeatWith(seed))
                    .isEqualTo(collection);
        }
        assertThat(count).isEqualTo(COLLECTIONS);
    }

    private static ByteBuffer names(Path program, String kind, long seed, int count, Path folder)
            throws IOException, InterruptedException {
        Path file = folder.resolve(kind);
        InstalledCeph.Result result = InstalledCeph.runInside(program, kind, seed, count, file);
        System.out.printf("%s %s%n%s", program, kind, result.output());
        assertThat(result.exit()).as(result.output()).isZero();
        return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    }

    // The form of neutral.h, read from its description: not with the bridge's own reader, which is tested elsewhere.
    private static ObjectId object(ByteBuffer in) {
        long pool = in.getLong();
        long snap = in.getLong();
        long generation = in.getLong();
        int hash = in.getInt();
        byte shard = in.get();
        byte flags = in.get();
        assertThat(in.getShort()).isZero();
        int nameBytes = in.getInt();
        int keyBytes = in.getInt();
        int nspaceBytes = in.getInt();
        ByteString name = bytes(in, nameBytes);
        ByteString key = bytes(in, keyBytes);
        ByteString nspace = bytes(in, nspaceBytes);
        return new ObjectId(shard, pool, hash, nspace, key, name, snap, generation, (flags & 2) != 0, (flags & 1) != 0);
    }

    private static CollectionId collection(ByteBuffer in) {
        CollectionId.Type type = collectionType(in.getInt());
        byte shard = in.get();
        in.position(in.position() + 3);
        int seed = in.getInt();
        assertThat(in.getInt()).isZero();
        return new CollectionId(type, in.getLong(), seed, shard);
    }

    private static CollectionId.Type collectionType(int number) {
        return switch (number) {
            case 0 -> CollectionId.Type.META;
            case 1 -> CollectionId.Type.LEGACY_TEMP;
            case 2 -> CollectionId.Type.PG;
            case 3 -> CollectionId.Type.PG_TEMP;
            default -> throw new AssertionError("collection type " + number);
        };
    }

    private static ByteString bytes(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return ByteString.wrap(bytes);
    }
}
