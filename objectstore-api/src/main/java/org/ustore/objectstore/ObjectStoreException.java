package org.ustore.objectstore;

import org.jspecify.annotations.Nullable;

/** The one exception a store throws, with the code that tells callers what happened. */
public final class ObjectStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    /** A failure described by {@code message}: what was asked, the value and the limit. */
    public ObjectStoreException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /** A failure with a cause. */
    public ObjectStoreException(ErrorCode code, String message, @Nullable Throwable cause) {
        // An absent object or attribute is an everyday answer on the OSD's write path, where a stack trace costs
        // more than the look-up.
        super(code + ": " + message, cause, true, code != ErrorCode.ENOENT && code != ErrorCode.ENODATA);
        this.code = code;
    }

    /** What went wrong. */
    public ErrorCode code() {
        return code;
    }
}
