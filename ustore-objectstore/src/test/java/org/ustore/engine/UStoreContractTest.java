package org.ustore.engine;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.ustore.engine.device.IoMode;
import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.testkit.ObjectStoreContract;

/** The engine keeps the contract, on a real file. */
final class UStoreContractTest extends ObjectStoreContract {
    @TempDir
    private Path folder = Path.of("");

    private ObjectStore open() {
        StoreConfig config = new StoreConfig("block", 256L << 20, 16L << 20, "", 1L << 30, 1L << 30, "", IoMode.AUTO);
        return UStore.create(folder, config);
    }

    @Override
    protected ObjectStore create() {
        return open();
    }

    @Override
    protected ObjectStore reopen(ObjectStore unmounted) {
        return open();
    }
}
