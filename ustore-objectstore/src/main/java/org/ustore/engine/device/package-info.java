/**
 * Block devices, memory that can be read and written directly, and the checksum of everything on them. Knows nothing of
 * what is stored.
 */
@NullMarked
package org.ustore.engine.device;

import org.jspecify.annotations.NullMarked;
