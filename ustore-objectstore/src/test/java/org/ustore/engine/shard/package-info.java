@NullMarked
package org.ustore.engine.shard;

import org.jspecify.annotations.NullMarked;
