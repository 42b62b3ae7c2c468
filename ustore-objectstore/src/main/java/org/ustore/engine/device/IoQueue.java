package org.ustore.engine.device;

import java.lang.foreign.MemorySegment;

/**
 * Requests to a device that run at the same time, up to a fixed number of them, in no order.
 *
 * <p>Belongs to one thread at a time; whoever hands it to another sees to it that nothing is in flight. Positions and lengths
 * are bytes and multiples of {@link BlockDevice#BLOCK_BYTES}; memory is native and block-aligned, stays reachable through
 * the queue, and must not change (of a write) or be used (of a read) before its completion. What was written is durable
 * once a flush that was asked for after the write's completion has completed.
 *
 * <p>A request is made by one of the methods below and ends with one call of the queue's {@link IoCompletion}, out of
 * {@link #await}, {@link #drain} or a later request that found the queue full. A request outside the device, or not
 * aligned, throws {@link org.ustore.objectstore.ObjectStoreException} with {@code EIO} and is not made; errors of the
 * device are errnos of completions.
 */
public interface IoQueue extends AutoCloseable {
    /** Most requests that a queue can have in flight. */
    int MAX_DEPTH = 1024;
    /** Longest discard, in bytes. */
    long MAX_DISCARD_BYTES = 256L << 20;

    /** Fills {@code target} from {@code position}. */
    void read(MemorySegment target, long position, long token);

    /** Writes all of {@code source} at {@code position}; atomic per block at best. */
    void write(MemorySegment source, long position, long token);

    /** Writes as {@link #write}, then flushes: completes without error when this and all writes completed before are durable. */
    void writeAndFlush(MemorySegment source, long position, long token);

    /** Makes all writes that have completed, of this queue or any other, durable. */
    void flush(long token);

    /**
     * Tells the device that the content of at most {@link #MAX_DISCARD_BYTES} is of no use any more; what is read there
     * afterwards is undefined. A wish: devices that cannot do it end it with an error that can be ignored. May take its
     * time on the calling thread, so it has a queue of its own.
     */
    void discard(long position, long lengthBytes, long token);

    /** Starts what has been asked for; every method that waits does so too. */
    void submit();

    /** Waits until at least one request has ended, if any is in flight; returns how many have. */
    int await();

    /** Waits until all requests have ended. */
    void drain();

    /** Number of requests whose completion has not been called. */
    int inFlight();

    /** Waits for all requests, calling their completions, and gives the queue's resources back; the device stays open. */
    @Override
    void close();
}
