package org.ustore.cluster;

import com.ceph.rados.IoCTX;
import com.ceph.rados.Rados;
import com.ceph.rados.exceptions.RadosException;
import com.ceph.rbd.Rbd;
import com.ceph.rbd.RbdException;
import com.ceph.rbd.RbdImage;
import java.nio.file.Path;

/** One librados client on one pool. Its operations wait as long as the cluster takes; the caller has the deadline. */
final class RadosClient implements AutoCloseable {
    private final Rados rados;
    private final IoCTX pool;

    RadosClient(Path configFile, String pool) throws RadosException {
        rados = new Rados("admin");
        rados.confReadFile(configFile.toFile());
        rados.connect();
        try {
            this.pool = rados.ioCtxCreate(pool);
        } catch (RadosException e) {
            rados.shutDown();
            throw e;
        }
    }

    IoCTX pool() {
        return pool;
    }

    RbdImage openImage(String name) throws RbdException {
        return new Rbd(pool).open(name);
    }

    @Override
    public void close() {
        rados.ioCtxDestroy(pool);
        rados.shutDown();
    }
}
