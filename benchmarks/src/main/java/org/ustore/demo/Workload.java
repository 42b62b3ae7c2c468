package org.ustore.demo;

/** The cells of the table; reads come after the writes that filled the image. */
enum Workload {
    RANDWRITE_4K_QD1("randwrite-4k-qd1", "randwrite", "4k", 1),
    RANDWRITE_4K_QD32("randwrite-4k-qd32", "randwrite", "4k", 32),
    RANDREAD_4K_QD32("randread-4k-qd32", "randread", "4k", 32),
    SEQWRITE_64K_QD16("seqwrite-64k-qd16", "write", "64k", 16);

    private final String label;
    private final String pattern;
    private final String blockSize;
    private final int depth;

    Workload(String label, String pattern, String blockSize, int depth) {
        this.label = label;
        this.pattern = pattern;
        this.blockSize = blockSize;
        this.depth = depth;
    }

    String label() {
        return label;
    }

    /** fio's {@code rw}. */
    String pattern() {
        return pattern;
    }

    String blockSize() {
        return blockSize;
    }

    int depth() {
        return depth;
    }

    boolean writes() {
        return pattern.endsWith("write");
    }
}
