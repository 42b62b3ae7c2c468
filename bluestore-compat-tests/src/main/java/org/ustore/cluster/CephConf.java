package org.ustore.cluster;

import java.nio.file.Path;

/** The text of {@code ceph.conf}: the same settings for every store, authentication off, nothing outside one folder. */
final class CephConf {
    private CephConf() {}

    static String render(ClusterSpec spec, String fsid, int monPort) {
        Path dir = spec.directory();
        return """
                [global]
                fsid = %1$s
                monmap = %2$s/monmap
                mon host = v1:127.0.0.1:%3$d
                mon initial members = a
                ms bind msgr2 = false
                public network = 127.0.0.0/8
                cluster network = 127.0.0.0/8
                auth cluster required = none
                auth service required = none
                auth client required = none
                keyring = /dev/null
                run dir = %2$s/run
                # Socket paths are limited to 107 bytes, folders are not; 'ceph tell' does the same.
                admin socket =
                pid file = %2$s/run/$name.pid
                log file = %2$s/log/$name.log
                crash dir = %2$s/log
                osd crush chooseleaf type = 0
                # An OSD that moves itself in the CRUSH map at start sometimes exits with 'wrong fsid'.
                osd crush update on start = false
                osd class update on start = false
                osd pool default size = %4$d
                osd pool default min size = %5$d
                osd pool default pg autoscale mode = off
                mon allow pool size one = true
                mon allow pool delete = true
                mon warn on pool no redundancy = false
                mon warn on insecure global id reclaim allowed = false
                mon max pg per osd = 1000
                mon data avail warn = 2
                mon data avail crit = 1

                [mon]
                mon data = %2$s/mon
                mon cluster log file = %2$s/log/cluster.log
                mon osd min down reporters = 1

                [mgr]
                mgr data = %2$s/mgr
                mgr initial modules =
                mgr stats period = 1

                [osd]
                osd data = %2$s/osd$id
                osd objectstore = bluestore
                bluestore block size = %6$d
                bluestore block wal size = 0
                bluestore block db size = 0
                bluestore cache autotune = false
                bluestore cache size = %7$d
                osd memory target = %8$d
                osd mclock skip benchmark = true
                osd op num shards = 4
                osd op num threads per shard = 1
                # A scrub that was asked for starts at once.
                osd max scrubs = 8
                osd scrub backoff ratio = 0
                osd scrub begin hour = 0
                osd scrub end hour = 0
                osd scrub load threshold = 100
                debug ms = 0/0
                debug osd = 0/0
                debug bluestore = 0/0
                debug bdev = 0/0
                debug rocksdb = 0/0
                debug bluefs = 0/0

                [client]
                log file =
                # The cache would hide the latency of writes.
                rbd cache = false
                """.formatted(
                        fsid,
                        dir,
                        monPort,
                        spec.replicas(),
                        spec.replicas() > 2 ? 2 : 1,
                        spec.deviceBytes(),
                        spec.memoryBytes() / 4,
                        spec.memoryBytes());
    }

    /** {@code ustore.conf} of one OSD; heap and direct memory together are what BlueStore is told to use. */
    static String renderUStore(ClusterSpec spec) {
        return """
                device = block
                device_size = %d
                heap_max = %s
                direct_max = %s
                """.formatted(
                spec.deviceBytes(), ByteSize.format(spec.memoryBytes() / 2), ByteSize.format(spec.memoryBytes() / 2));
    }
}
