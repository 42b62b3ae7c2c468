/**
 * Objects as keys of a metadata container: onodes, omap, places and checksums of data, collections as ranges of keys. It is
 * to take the place of {@code store} and is not used by {@link org.ustore.engine.UStore} yet.
 *
 * <p>Keys are drawn at {@code Keys}, values at {@code Onode}, {@code Chunk} and {@code Usage}. A transaction changes a
 * {@code Workspace}, which writes all of it in one batch; reads by any thread go to the metadata without the shard's lock
 * and take it only for a moment to note where data is. The cache of objects holds nothing that the metadata does not.
 */
@NullMarked
package org.ustore.engine.objects;

import org.jspecify.annotations.NullMarked;
