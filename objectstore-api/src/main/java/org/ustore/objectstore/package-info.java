/** The ObjectStore contract. */
@NullMarked
package org.ustore.objectstore;

import org.jspecify.annotations.NullMarked;
