package org.ustore.engine.container.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trees that are whole by their checksums but wrong: each kind of error is reported, none throws. */
final class VerifierTest {
    private static final byte[] VALUE = new byte[PageFormat.PART_BYTES];

    private final Page left = Page.empty(0, 1, 0);
    private final Page right = Page.empty(0, 1, 0);
    private final Page top = Page.empty(1, 1, 0);

    private static void add(Page leaf, String key, int part, int length) {
        byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
        int own = Math.min(length, PageFormat.PART_BYTES);
        leaf.insertValue(leaf.count, bytes, 0, bytes.length, part, length, VALUE, 0, own);
    }

    private static Bound bound(String key) {
        return new Bound(key.getBytes(StandardCharsets.US_ASCII), 0);
    }

    private List<String> errors(String bound, long leftKeys, long rightKeys, long keys) {
        top.insertChild(0, Bound.NONE, new PageRef(left), leftKeys);
        top.insertChild(1, bound(bound), new PageRef(right), rightKeys);
        return errors(new PageRef(top), keys);
    }

    private static List<String> errors(PageRef root, long keys) {
        List<String> errors = new ArrayList<>();
        TestStore device = new TestStore(10, 1 << 20);
        assertThat(new Verifier(new PageIo(device.device), errors::add).verify(new FrozenRoot(root, keys, 1)))
                .isPositive();
        return errors;
    }

    private static void assertOne(List<String> errors, String part) {
        assertThat(errors).hasSize(1);
        assertThat(errors.getFirst()).contains(part);
    }

    @Test
    void aGoodTree() {
        add(left, "a", 0, 1);
        add(left, "b", 0, PageFormat.PART_BYTES + 10);
        add(right, "b", 1, 10);
        add(right, "c", 0, 0);
        top.insertChild(0, Bound.NONE, new PageRef(left), 2);
        top.insertChild(1, new Bound("b".getBytes(StandardCharsets.US_ASCII), 1), new PageRef(right), 1);
        assertThat(errors(new PageRef(top), 3)).isEmpty();
    }

    @Test
    void wrongOrder() {
        add(left, "b", 0, 1);
        add(left, "a", 0, 1);
        add(right, "c", 0, 1);
        assertOne(errors("c", 2, 1, 3), "order");
    }

    @Test
    void outsideOfItsPage() {
        add(left, "a", 0, 1);
        add(left, "d", 0, 1);
        add(right, "e", 0, 1);
        assertOne(errors("c", 2, 1, 3), "outside of its page");
    }

    @Test
    void wrongCounts() {
        add(left, "a", 0, 1);
        add(right, "c", 0, 1);
        assertOne(errors("c", 1, 2, 2), "keys of child 1 expected=2 found=1");
    }

    @Test
    void wrongTotal() {
        add(left, "a", 0, 1);
        add(right, "c", 0, 1);
        assertOne(errors("c", 1, 1, 7), "keys expected=7 found=2");
    }

    @Test
    void aMissingPart() {
        add(left, "a", 0, PageFormat.PART_BYTES + 10);
        add(right, "c", 0, 1);
        assertOne(errors("c", 1, 1, 2), "lacks 10 bytes");
    }

    @Test
    void aPartOfNothing() {
        add(left, "a", 0, 10);
        add(right, "c", 1, 1);
        assertOne(errors("c", 1, 0, 1), "part=1 of 1 bytes after");
    }

    @Test
    void anInnerPageWithoutChildren() {
        assertOne(errors(new PageRef(top), 0), "without children");
    }

    @Test
    void aPageInTwoPlaces() {
        TestStore test = new TestStore(100, 1 << 20);
        test.checkpoint();
        PageRef leaf = new PageRef(test.root.block(), test.root.blocks(), test.root.checksum(), 0);
        top.insertChild(0, Bound.NONE, leaf, 0);
        top.insertChild(1, bound("x"), leaf, 0);
        List<String> errors = new ArrayList<>();
        assertThat(new Verifier(new PageIo(test.device), errors::add).verify(new FrozenRoot(new PageRef(top), 0, 1)))
                .isEqualTo(3);
        assertOne(errors, "overlap");
    }
}
