/**
 * The reference store: the contract in its plainest form, kept in memory.
 *
 * <p>Objects are immutable values ({@link org.ustore.objectstore.memory.StoredObject}); a transaction replaces them in
 * {@link org.ustore.objectstore.memory.Contents} under one lock and notes how to take each replacement back. That makes
 * snapshots, clones and all-or-nothing obvious, which is the point: other stores are compared with this one. It is not
 * built to be fast.
 */
@NullMarked
package org.ustore.objectstore.memory;

import org.jspecify.annotations.NullMarked;
