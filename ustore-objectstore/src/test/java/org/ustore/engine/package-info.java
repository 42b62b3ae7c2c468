@NullMarked
package org.ustore.engine;

import org.jspecify.annotations.NullMarked;
