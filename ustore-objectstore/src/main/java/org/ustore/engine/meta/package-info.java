/**
 * All metadata of a store, in memory: collections, onodes with their block maps, attributes and omaps.
 *
 * <p>Everything is copy-on-write by owner: a table, an onode or a piece of a block map carries the token of whoever may
 * change it in place. {@link org.ustore.engine.meta.SortedTable#snapshot} hands out a new token, so whatever a snapshot
 * can see is copied before it changes. Taking a snapshot of a whole store therefore costs no more than one step per
 * collection, and reading one needs no lock.
 *
 * <p>Live metadata belongs to whoever holds the shard's lock; snapshots may be read by any thread.
 */
@NullMarked
package org.ustore.engine.meta;

import org.jspecify.annotations.NullMarked;
