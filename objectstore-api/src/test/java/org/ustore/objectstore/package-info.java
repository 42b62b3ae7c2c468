/** Tests of the contract's value types. */
@NullMarked
package org.ustore.objectstore;

import org.jspecify.annotations.NullMarked;
