@NullMarked
package org.ustore.engine.meta;

import org.jspecify.annotations.NullMarked;
