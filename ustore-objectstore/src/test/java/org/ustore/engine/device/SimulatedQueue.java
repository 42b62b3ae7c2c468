package org.ustore.engine.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a simulated disk: each request is done at its own time, so that they run, and end, in an order that only the
 * seed knows. It notices memory that changes under a write.
 */
final class SimulatedQueue implements IoQueue {
    /** One request in flight. */
    private static final class Request {
        final SimulatedDisk.Call call;
        final long token;
        final long position;
        final long lengthBytes;
        final long dueNanos;
        final @Nullable MemorySegment memory;
        /** What a write writes: as it was when it was asked for. */
        final byte[] content;

        final boolean flush;

        Request(
                SimulatedDisk.Call call,
                long token,
                long position,
                long lengthBytes,
                long dueNanos,
                @Nullable MemorySegment memory,
                boolean flush) {
            this.call = call;
            this.token = token;
            this.position = position;
            this.lengthBytes = lengthBytes;
            this.dueNanos = dueNanos;
            this.memory = memory;
            this.content = memory != null && call == SimulatedDisk.Call.WRITE
                    ? memory.toArray(ValueLayout.JAVA_BYTE)
                    : new byte[0];
            this.flush = flush;
        }
    }

    private final SimulatedDisk disk;
    private final SimulatedDisk.Device device;
    private final int depth;
    private final IoCompletion completion;
    /** In the order asked for; under the disk's monitor, because a power cut of another thread looks at it. */
    private final List<Request> requests = new ArrayList<>();

    private boolean completing;
    private boolean closed;

    SimulatedQueue(SimulatedDisk disk, SimulatedDisk.Device device, int depth, IoCompletion completion) {
        this.disk = disk;
        this.device = device;
        this.depth = depth;
        this.completion = completion;
    }

    @Override
    public void read(MemorySegment target, long position, long token) {
        add(SimulatedDisk.Call.READ, token, position, target.byteSize(), target, false);
    }

    @Override
    public void write(MemorySegment source, long position, long token) {
        add(SimulatedDisk.Call.WRITE, token, position, source.byteSize(), source, false);
    }

    @Override
    public void writeAndFlush(MemorySegment source, long position, long token) {
        add(SimulatedDisk.Call.WRITE, token, position, source.byteSize(), source, true);
    }

    @Override
    public void flush(long token) {
        start(SimulatedDisk.Call.FLUSH, token, 0, 0, null, false);
    }

    @Override
    public void discard(long position, long lengthBytes, long token) {
        if (lengthBytes > MAX_DISCARD_BYTES) {
            device.check(position, -1);
        }
        add(SimulatedDisk.Call.DISCARD, token, position, lengthBytes, null, false);
    }

    private void add(
            SimulatedDisk.Call call,
            long token,
            long position,
            long lengthBytes,
            @Nullable MemorySegment memory,
            boolean flush) {
        device.check(position, lengthBytes);
        if (memory != null && !AlignedBuffers.isAligned(memory)) {
            device.check(memory.address() | 1, lengthBytes);
        }
        start(call, token, position, lengthBytes, memory, flush);
    }

    private void start(
            SimulatedDisk.Call call,
            long token,
            long position,
            long lengthBytes,
            @Nullable MemorySegment memory,
            boolean flush) {
        if (completing || closed) {
            throw new AssertionError(closed ? "queue is closed" : "queue used by its own completion");
        }
        if (inFlight() == depth) {
            int _ = await();
        }
        long due = disk.clock().nanos() + disk.latencyNanos();
        synchronized (disk) {
            requests.add(new Request(call, token, position, lengthBytes, due, memory, flush));
            disk.inFlight(requests.size());
        }
    }

    /** The power is cut: writes in flight may have happened in part; under the disk's monitor. */
    void abandon(Random random) {
        for (Request request : requests) {
            if (request.content.length > 0 && random.nextBoolean()) {
                disk.storeSome((int) (request.position / SimulatedDisk.BLOCK), request.content);
            }
        }
    }

    private int run(Request request) {
        MemorySegment memory = request.memory;
        return switch (request.call) {
            case READ -> memory == null ? 0 : disk.read(device, memory.asByteBuffer(), request.position);
            case WRITE -> {
                if (memory == null || !Arrays.equals(memory.toArray(ValueLayout.JAVA_BYTE), request.content)) {
                    throw new AssertionError("memory changed under a write: position=" + request.position);
                }
                int errno = disk.write(device, request.content, request.position);
                yield errno == 0 && request.flush ? disk.flush(device) : errno;
            }
            case FLUSH -> disk.flush(device);
            case DISCARD -> disk.discard(device, request.position, request.lengthBytes);
        };
    }

    @Override
    public void submit() {
        // All are on their way already.
    }

    @Override
    public int await() {
        Request next;
        int errno;
        synchronized (disk) {
            if (requests.isEmpty()) {
                return 0;
            }
            next = requests.stream()
                    .min(Comparator.comparingLong(request -> request.dueNanos))
                    .orElseThrow();
            requests.remove(next);
            disk.clock().advanceTo(next.dueNanos);
            errno = run(next);
        }
        completing = true;
        completion.completed(next.token, errno);
        completing = false;
        return 1;
    }

    @Override
    public void drain() {
        while (inFlight() > 0) {
            int _ = await();
        }
    }

    @Override
    public int inFlight() {
        synchronized (disk) {
            return requests.size();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            drain();
            closed = true;
            disk.closed(this);
        }
    }
}
