/** Tests of the reference store. */
@NullMarked
package org.ustore.objectstore.memory;

import org.jspecify.annotations.NullMarked;
