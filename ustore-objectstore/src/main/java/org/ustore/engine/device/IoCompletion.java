package org.ustore.engine.device;

/** Is told what became of the requests of an {@link IoQueue}; called on the thread that calls the queue, which it must not call. */
@FunctionalInterface
public interface IoCompletion {
    /** The request with this token has ended: {@code errno} is 0, or the positive Linux errno of its failure. */
    void completed(long token, int errno);
}
