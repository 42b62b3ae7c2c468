package org.ustore.ceph;

import org.jspecify.annotations.Nullable;

/** The operations of a transaction, with Ceph's numbers; see {@link WireFormat} for the fields named here. */
enum WireOp {
    /** Nothing. */
    NOP(0),
    /** cid, oid. */
    CREATE(7),
    /** Of very old releases. */
    COLL_MOVE(8),
    /** cid, oid. */
    TOUCH(9),
    /** cid, oid, offset, length; data: a buffer of that length. */
    WRITE(10),
    /** cid, oid, offset, length. */
    ZERO(11),
    /** cid, oid, offset = the new size. */
    TRUNCATE(12),
    /** cid, oid. */
    REMOVE(13),
    /** cid, oid; data: name, value. */
    SETATTR(14),
    /** cid, oid; data: a map. */
    SETATTRS(15),
    /** cid, oid; data: name. */
    RMATTR(16),
    /** cid, oid, destOid in the same collection. */
    CLONE(17),
    /** cid, oid, destOid, offset (of both), length. */
    CLONERANGE(18),
    /** cid, oid, offset, length; nothing to do. */
    TRIMCACHE(19),
    /** cid, bits. */
    MKCOLL(20),
    /** cid. */
    RMCOLL(21),
    /** Of very old releases. */
    COLL_ADD(22),
    /** Of very old releases. */
    COLL_REMOVE(23),
    /** Of very old releases. */
    COLL_SETATTR(24),
    /** Of very old releases. */
    COLL_RMATTR(25),
    /** Of very old releases. */
    COLL_SETATTRS(26),
    /** cid, oid. */
    RMATTRS(28),
    /** Of very old releases. */
    COLL_RENAME(29),
    /** cid, oid, destOid, offset, length, destOffset. */
    CLONERANGE2(30),
    /** cid, oid. */
    OMAP_CLEAR(31),
    /** cid, oid; data: a map. */
    OMAP_SETKEYS(32),
    /** cid, oid; data: a set. */
    OMAP_RMKEYS(33),
    /** cid, oid; data: a buffer. */
    OMAP_SETHEADER(34),
    /** Of very old releases. */
    SPLIT_COLLECTION(35),
    /** cid, destCid, bits, rem. */
    SPLIT_COLLECTION2(36),
    /** cid, oid; data: first, last. */
    OMAP_RMKEYRANGE(37),
    /** cid, oid, destCid, destOid. */
    COLL_MOVE_RENAME(38),
    /** cid, oid, expObject, expWrite, hint = flags. */
    SETALLOCHINT(39),
    /** cid, hint = its type; data: a buffer; nothing to do. */
    COLL_HINT(40),
    /** cid, oid, destOid. */
    TRY_RENAME(41),
    /** cid, bits. */
    COLL_SET_BITS(42),
    /** cid, destCid, bits. */
    MERGE_COLLECTION(43);

    private static final @Nullable WireOp[] BY_CODE = new WireOp[44];

    static {
        for (WireOp op : values()) {
            BY_CODE[op.code] = op;
        }
    }

    private final int code;

    WireOp(int code) {
        this.code = code;
    }

    /** Ceph's number. */
    int code() {
        return code;
    }

    /** The operation of that number, or null. */
    static @Nullable WireOp of(int code) {
        return code < 0 || code >= BY_CODE.length ? null : BY_CODE[code];
    }
}
