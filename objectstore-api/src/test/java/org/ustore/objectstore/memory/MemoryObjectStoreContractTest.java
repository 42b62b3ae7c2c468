package org.ustore.objectstore.memory;

import org.ustore.objectstore.ObjectStore;
import org.ustore.objectstore.testkit.ObjectStoreContract;

/** The reference store keeps the contract. */
final class MemoryObjectStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore create() {
        return new MemoryObjectStore();
    }
}
