package org.ustore.ceph;

/**
 * Layout of a transaction as an OSD builds it (Ceph 16 and 18): operations of a fixed size, and one run of data that
 * they consume in order. Little endian, packed.
 *
 * <pre>
 *  operation    0    4     8     12       20       28        32        36          44     48         56         64     68   72
 *              | op | cid | oid | offset | length | destCid | destOid | destOffset | hint | expObject | expWrite | bits | rem |
 *              |u32 | u32 | u32 | u64    | u64    | u32     | u32     | u64        | u32  | u64       | u64      | u32  | u32 |
 * </pre>
 *
 * <p>cid, oid and their destinations are indices of the transaction's tables of collections and objects. Which fields an
 * operation uses, and what it takes from the data, is said at {@link WireOp}. In the data a string or a buffer is a u32
 * length and its bytes; a map is a u32 count and that many pairs of string and buffer; a set is a u32 count and that many
 * strings.
 */
final class WireFormat {
    /** Size of an operation, in bytes. */
    static final int OP_BYTES = 72;

    static final int OP = 0;
    static final int COLLECTION = 4;
    static final int OBJECT = 8;
    static final int OFFSET = 12;
    static final int LENGTH = 20;
    static final int DEST_COLLECTION = 28;
    static final int DEST_OBJECT = 32;
    static final int DEST_OFFSET = 36;
    static final int HINT = 44;
    static final int EXPECTED_OBJECT_SIZE = 48;
    static final int EXPECTED_WRITE_SIZE = 56;
    static final int BITS = 64;
    static final int REMAINDER = 68;

    /** Smallest string or buffer in the data, in bytes. */
    static final int MIN_STRING_BYTES = 4;
    /** Smallest entry of a map in the data, in bytes. */
    static final int MIN_PAIR_BYTES = 2 * MIN_STRING_BYTES;
    /** Most bits a collection can have. */
    static final int MAX_BITS = 32;

    private WireFormat() {}
}
