package org.ustore.engine.device;

/** The kernel gives no ring: it has none, forbids it, or lacks memory. */
final class UringUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    UringUnavailableException(String step, int errno) {
        super(step + ": " + Kernel.describe(errno));
    }
}
