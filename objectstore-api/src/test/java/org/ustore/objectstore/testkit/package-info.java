/**
 * Tests that every store must pass, to be run by each module that has one.
 *
 * <p>{@link org.ustore.objectstore.testkit.ObjectStoreContract} has one test per behaviour of the contract;
 * {@link org.ustore.objectstore.testkit.RandomHistory} applies seeded random transactions to a store and to the model and
 * compares them with {@link org.ustore.objectstore.testkit.StoreComparator}.
 */
@NullMarked
package org.ustore.objectstore.testkit;

import org.jspecify.annotations.NullMarked;
