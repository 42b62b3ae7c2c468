/**
 * Real Ceph clusters on loopback: one monitor, one manager and a few OSDs of the distribution's own unmodified binaries,
 * without systemd, without containers, everything under one folder.
 *
 * <pre>
 * DIR/cluster.json     what was started (lets another process show or stop it)
 * DIR/ceph.conf        for every daemon and client
 * DIR/mon, DIR/mgr     data of the monitor and the manager
 * DIR/osdN             data folder of OSD N; osdN/block is its device file, of the same size for every store
 * DIR/run/NAME.pid     process ids, written by the daemons themselves
 * DIR/log/NAME.log     logs of the daemons
 * DIR/ustore           the libraries that UStore's OSDs load: a copy, so that a new build does not pull them away
 * </pre>
 *
 * <p>{@link org.ustore.cluster.CephCluster} starts and stops, {@link org.ustore.cluster.BlockLedger} and
 * {@link org.ustore.cluster.ObjectLedger} write through librados and remember what was acknowledged. A cluster belongs to
 * one thread; the ledgers have threads of their own. Every wait has a deadline.
 */
@NullMarked
package org.ustore.cluster;

import org.jspecify.annotations.NullMarked;
