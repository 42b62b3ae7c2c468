@NullMarked
package org.ustore.engine.objects;

import org.jspecify.annotations.NullMarked;
