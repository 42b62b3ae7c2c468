/**
 * Which blocks of the device are free, how often a used one is referred to, and when a freed one may be used again.
 *
 * <p>Nothing of it is on the device: it is rebuilt from the block maps at start. All of it belongs to whoever holds the
 * shard's lock, except where said.
 */
@NullMarked
package org.ustore.engine.space;

import org.jspecify.annotations.NullMarked;
