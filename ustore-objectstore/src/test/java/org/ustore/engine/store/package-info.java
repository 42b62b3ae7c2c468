@NullMarked
package org.ustore.engine.store;

import org.jspecify.annotations.NullMarked;
