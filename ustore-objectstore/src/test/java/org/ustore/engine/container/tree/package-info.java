@NullMarked
package org.ustore.engine.container.tree;

import org.jspecify.annotations.NullMarked;
