package org.ustore.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class ByteStringTest {
    @Test
    void copiesAreIndependentOfTheirSource() {
        byte[] source = {1, 2, 3};
        ByteString copy = ByteString.copyOf(source);
        ByteString ofSegment = ByteString.copyOf(MemorySegment.ofArray(source));
        source[0] = 9;
        assertThat(copy.byteAt(0)).isEqualTo((byte) 1);
        assertThat(ofSegment).isEqualTo(copy);
        copy.toByteArray()[1] = 9;
        assertThat(copy.toByteArray()).containsExactly(1, 2, 3);
    }

    @Test
    void theViewCannotBeWritten() {
        MemorySegment view = ByteString.of("abc").asSegment();
        assertThatThrownBy(() -> view.set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void emptyIsOneValue() {
        assertThat(ByteString.of("")).isSameAs(ByteString.EMPTY);
        assertThat(ByteString.EMPTY.isEmpty()).isTrue();
        assertThat(ByteString.EMPTY.length()).isZero();
    }

    @Test
    void bytesCompareUnsigned() {
        assertThat(List.of(
                        ByteString.EMPTY,
                        ByteString.wrap(new byte[] {0}),
                        ByteString.wrap(new byte[] {0, 0}),
                        ByteString.of("A"),
                        ByteString.of("a"),
                        ByteString.of("a\0"),
                        ByteString.of("aa"),
                        ByteString.wrap(new byte[] {0x7f}),
                        ByteString.wrap(new byte[] {(byte) 0x80}),
                        ByteString.wrap(new byte[] {(byte) 0xff}),
                        ByteString.wrap(new byte[] {(byte) 0xff, 0})))
                .isSorted();
    }

    @Property
    void orderIsThatOfLatin1Text(@ForAll byte[] a, @ForAll byte[] b) {
        // ISO 8859-1 maps byte n to character n, and strings compare by character.
        String left = new String(a, StandardCharsets.ISO_8859_1);
        String right = new String(b, StandardCharsets.ISO_8859_1);
        assertThat(Integer.signum(ByteString.copyOf(a).compareTo(ByteString.copyOf(b))))
                .isEqualTo(Integer.signum(left.compareTo(right)));
    }

    @Property
    void equalBytesAreEqualStrings(@ForAll byte[] bytes) {
        ByteString one = ByteString.copyOf(bytes);
        ByteString other = ByteString.copyOf(bytes);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).isEqualByComparingTo(other);
        assertThat(one.toByteArray()).isEqualTo(bytes);
    }

    @Test
    void copyToPutsTheBytesAtTheOffset() {
        byte[] target = new byte[6];
        ByteString.of("abc").copyTo(MemorySegment.ofArray(target), 2);
        assertThat(target).isEqualTo("\0\0abc\0".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void messagesEscapeWhatIsNotPrintable() {
        assertThat(ByteString.wrap(new byte[] {'a', 0, (byte) 0xff, '\\', '~'})).hasToString("a\\x00\\xff\\x5c~");
        assertThat(ByteString.of("sch\u00f6n").toUtf8()).isEqualTo("sch\u00f6n");
    }
}
