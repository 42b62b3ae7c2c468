/** Tests that start real clusters; tag {@code cluster}. */
@NullMarked
package org.ustore.cluster;

import org.jspecify.annotations.NullMarked;
