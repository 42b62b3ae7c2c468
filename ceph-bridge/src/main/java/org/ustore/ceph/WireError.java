package org.ustore.ceph;

import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Where in a transaction its decoder stands, for the errors it reports. */
final class WireError {
    private int index;
    private String name = "";

    /** Goes to the operation of that index (from 0). */
    void at(int newIndex, String newName) {
        index = newIndex;
        name = newName;
    }

    /** {@code field} of the present operation is {@code got}, outside of {@code limit}. */
    ObjectStoreException invalid(String field, Object got, String limit) {
        return new ObjectStoreException(
                ErrorCode.EINVAL,
                "malformed transaction: op=" + index + " (" + name + ") field=" + field + " got=" + got + " limit="
                        + limit);
    }

    /** The present operation is known but not carried out. */
    ObjectStoreException unsupported(int code) {
        return new ObjectStoreException(
                ErrorCode.EOPNOTSUPP,
                "transaction op=" + index + " (" + name + ", code " + code
                        + ") belongs to releases before Ceph 16; UStore does not carry it out");
    }
}
