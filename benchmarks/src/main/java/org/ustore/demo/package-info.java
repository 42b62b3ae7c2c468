/** The side-by-side run of UStore and BlueStore in one real cluster. */
@NullMarked
package org.ustore.demo;

import org.jspecify.annotations.NullMarked;
