/**
 * The engine's front door: {@link org.ustore.engine.UStore} and its settings.
 *
 * <p>Below it, each package uses only those after it: {@code store} (objects, transactions, reads), {@code shard} (log,
 * checkpoints, threads), {@code meta} (onodes, omap, block maps, in memory), {@code space} (free space), {@code device}.
 */
@NullMarked
package org.ustore.engine;

import org.jspecify.annotations.NullMarked;
