@NullMarked
package org.ustore.engine.container;

import org.jspecify.annotations.NullMarked;
