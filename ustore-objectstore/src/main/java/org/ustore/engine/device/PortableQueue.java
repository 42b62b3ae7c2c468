package org.ustore.engine.device;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import org.ustore.objectstore.ObjectStoreException;

/** A queue that does each request at once on the calling thread, through the device's channel, and reports it later. */
final class PortableQueue implements IoQueue {
    private static final System.Logger LOG = System.getLogger(PortableQueue.class.getName());

    private final FileBlockDevice device;
    private final DeviceHandle handle;
    private final IoCompletion completion;
    /** Requests done but not reported. */
    private final long[] tokens;

    private final int[] errnos;
    private int done;

    PortableQueue(FileBlockDevice device, DeviceHandle handle, int depth, IoCompletion completion) {
        this.device = device;
        this.handle = handle;
        this.completion = completion;
        this.tokens = new long[depth];
        this.errnos = new int[depth];
    }

    @Override
    public void read(MemorySegment target, long position, long token) {
        device.checkRange("read", target, position);
        end(token, run(() -> device.read(target.asByteBuffer(), position)));
    }

    @Override
    public void write(MemorySegment source, long position, long token) {
        device.checkRange("write", source, position);
        end(token, run(() -> device.write(source.asByteBuffer(), position)));
    }

    @Override
    public void writeAndFlush(MemorySegment source, long position, long token) {
        device.checkRange("write", source, position);
        end(token, run(() -> {
            device.write(source.asByteBuffer(), position);
            device.flush();
        }));
    }

    @Override
    public void flush(long token) {
        end(token, run(device::flush));
    }

    @Override
    public void discard(long position, long lengthBytes, long token) {
        device.checkDiscard(position, lengthBytes);
        end(token, handle.discard(position, lengthBytes));
    }

    /** Does I/O through a channel; returns its errno. */
    static int run(Runnable io) {
        try {
            io.run();
            return 0;
        } catch (ObjectStoreException e) {
            // Java's exceptions have no errno: the log keeps what they say.
            LOG.log(Level.ERROR, "device error", e);
            return e.code().errno();
        }
    }

    private void end(long token, int errno) {
        if (done == tokens.length) {
            int _ = await();
        }
        tokens[done] = token;
        errnos[done] = errno;
        done++;
    }

    @Override
    public void submit() {
        // Nothing is ever waiting to be started.
    }

    @Override
    public int await() {
        int count = done;
        done = 0;
        for (int i = 0; i < count; i++) {
            completion.completed(tokens[i], errnos[i]);
        }
        return count;
    }

    @Override
    public void drain() {
        int _ = await();
    }

    @Override
    public int inFlight() {
        return done;
    }

    @Override
    public void close() {
        drain();
    }
}
