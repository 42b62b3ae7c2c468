@NullMarked
package org.ustore.engine.device;

import org.jspecify.annotations.NullMarked;
