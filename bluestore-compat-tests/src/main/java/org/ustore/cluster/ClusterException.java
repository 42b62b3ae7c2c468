package org.ustore.cluster;

/** A cluster, or a tool run against it, did not do what was asked; the message says what, with the facts and the next step. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
