package org.ustore.engine.container.tree;

/** Goes over all pages of a frozen tree that are on the device. */
final class PageWalk {
    private final PageCache cache;
    private final PageVisitor visitor;

    PageWalk(PageCache cache, PageVisitor visitor) {
        this.cache = cache;
        this.visitor = visitor;
    }

    /** The page and all below it; as deep as the tree is high. */
    void walk(PageRef ref) {
        if (ref.block != 0) {
            visitor.page(ref.block, ref.blocks);
        }
        if (ref.level > 0) {
            Page page = cache.get(ref);
            for (int i = 0; i < page.count; i++) {
                walk(page.children[i]);
            }
        }
    }
}
