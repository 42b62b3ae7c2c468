package org.ustore.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class PayloadTest {
    @Test
    void nothingIsEmpty() {
        assertThat(Payload.of(new byte[0])).isSameAs(Payload.EMPTY);
        assertThat(Payload.of(List.of())).isSameAs(Payload.EMPTY);
        assertThat(Payload.EMPTY.toByteArray()).isEmpty();
    }

    @Test
    void itIsAViewNotACopy() {
        byte[] bytes = {1, 2, 3};
        Payload payload = Payload.of(bytes);
        bytes[1] = 9;
        assertThat(payload.toByteArray()).containsExactly(1, 9, 3);
    }

    @Property
    void anyRangeOfAnyFragmentsIsThatOfTheWhole(
            @ForAll @Size(max = 60) byte[] bytes,
            @ForAll @Size(max = 8) List<@IntRange(max = 60) Integer> cuts,
            @ForAll @IntRange(max = 60) int from,
            @ForAll @IntRange(max = 60) int to) {
        try (Arena arena = Arena.ofConfined()) {
            Payload payload = Payload.of(fragments(arena, bytes, cuts));
            assertThat(payload.sizeBytes()).isEqualTo(bytes.length);
            assertThat(payload.toByteArray()).isEqualTo(bytes);
            int start = Math.min(Math.min(from, to), bytes.length);
            int length = Math.min(Math.max(from, to), bytes.length) - start;
            byte[] target = new byte[length + 5];
            Arrays.fill(target, (byte) 0x55);
            payload.copyTo(start, MemorySegment.ofArray(target), 3, length);
            byte[] expected = new byte[length + 5];
            Arrays.fill(expected, (byte) 0x55);
            System.arraycopy(bytes, start, expected, 3, length);
            assertThat(target).isEqualTo(expected);
        }
    }

    private static List<MemorySegment> fragments(Arena arena, byte[] bytes, List<Integer> cuts) {
        List<Integer> sorted = new ArrayList<>(cuts);
        sorted.add(60);
        sorted.sort(null);
        List<MemorySegment> pieces = new ArrayList<>();
        int at = 0;
        for (int cut : sorted) {
            int end = Math.min(cut, bytes.length);
            MemorySegment piece = arena.allocate(end - at);
            MemorySegment.copy(bytes, at, piece, ValueLayout.JAVA_BYTE, 0, end - at);
            pieces.add(piece);
            at = end;
        }
        return pieces;
    }

    @Test
    void rangesOutsideAreRefused() {
        Payload payload = Payload.of(new byte[10]);
        MemorySegment target = MemorySegment.ofArray(new byte[20]);
        for (long[] range : new long[][] {{-1, 1}, {0, -1}, {0, 11}, {10, 1}, {11, 0}, {5, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> payload.copyTo(range[0], target, 0, range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> payload.copyTo(0, target, 11, 10)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void moreThanAnArrayHoldsIsCounted() {
        MemorySegment huge = MemorySegment.NULL.reinterpret(1L << 31);
        Payload payload = Payload.of(List.of(huge, huge));
        assertThat(payload.sizeBytes()).isEqualTo(1L << 32);
        assertThatThrownBy(payload::toByteArray).isInstanceOf(ArithmeticException.class);
    }
}
