/**
 * Holds what the shim believes about Ceph's binaries against the installed ones: the order of virtual methods is read
 * from their files, layouts and orders are checked by calling their own functions from inside the process.
 */
@NullMarked
package org.ustore.ceph.abi;

import org.jspecify.annotations.NullMarked;
