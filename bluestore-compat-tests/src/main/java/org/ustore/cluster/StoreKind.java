package org.ustore.cluster;

import java.util.Locale;

/** The object store of an OSD. */
public enum StoreKind {
    USTORE,
    BLUESTORE;

    /** The name as Ceph's {@code type} file spells it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
