package org.ustore.ceph;

import java.nio.file.Path;
import org.ustore.engine.StoreConfig;
import org.ustore.engine.UStore;
import org.ustore.objectstore.ObjectStore;

/** Makes the engine's store, set up by {@code ustore.conf} in the OSD's data folder. */
public final class UStoreFactory implements StoreFactory {
    /** For {@link java.util.ServiceLoader}. */
    public UStoreFactory() {}

    @Override
    public ObjectStore create(Path osdData) {
        return UStore.create(osdData, StoreConfig.load(osdData.resolve("ustore.conf")));
    }
}
