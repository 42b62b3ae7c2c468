package org.ustore.engine.container.tree;

/** Told where pages are. */
@FunctionalInterface
public interface PageVisitor {
    /** A page takes {@code blocks} blocks of the device from {@code block} on. */
    void page(long block, int blocks);
}
