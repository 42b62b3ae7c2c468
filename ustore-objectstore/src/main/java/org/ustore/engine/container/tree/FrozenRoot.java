package org.ustore.engine.container.tree;

/**
 * A tree that does not change any more.
 *
 * @param ref its root page
 * @param keys number of keys
 * @param epoch the epoch that began when it was frozen
 */
record FrozenRoot(PageRef ref, long keys, long epoch) {}
