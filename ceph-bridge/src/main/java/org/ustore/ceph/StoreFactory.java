package org.ustore.ceph;

import java.nio.file.Path;
import org.ustore.objectstore.ObjectStore;

/** Makes the store an OSD runs on; found as a service on the class path, the first one counts. */
public interface StoreFactory {
    /**
     * A store for the OSD whose data folder is {@code osdData}, not yet made or mounted. Bad settings are reported by an
     * {@link org.ustore.objectstore.ObjectStoreException} that names them.
     */
    ObjectStore create(Path osdData);
}
