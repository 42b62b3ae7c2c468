/** Tests of the Java side of the bridge. */
@NullMarked
package org.ustore.ceph;

import org.jspecify.annotations.NullMarked;
