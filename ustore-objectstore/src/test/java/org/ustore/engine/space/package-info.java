@NullMarked
package org.ustore.engine.space;

import org.jspecify.annotations.NullMarked;
