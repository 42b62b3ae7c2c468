@NullMarked
package org.ustore;

import org.jspecify.annotations.NullMarked;
