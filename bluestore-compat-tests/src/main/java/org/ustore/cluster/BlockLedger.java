package org.ustore.cluster;

import com.ceph.rados.exceptions.RadosException;
import com.ceph.rbd.RbdException;
import com.ceph.rbd.RbdImage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A {@link Ledger} over an RBD image: writes of 512 bytes to 128 KiB at random offsets, one in four operations a checked read. */
public final class BlockLedger implements Ledger {
    private static final int MAX_SECTORS = 256;
    private static final int READ_BYTES = 1 << 20;

    private final Path configFile;
    private final String pool;
    private final String image;
    private final long[] sequences;
    private final long[] nextSequence;
    private final byte[][] buffers;
    private final int sectorsPerThread;
    private final LoadThreads load;
    private final LongAdder acknowledged = new LongAdder();
    private final RadosClient client;
    private final RbdImage handle;

    /**
     * Opens an image that exists and has never been written.
     *
     * @param bytes of the image, at least 1 MiB for each thread and at most 64 GiB
     */
    public BlockLedger(CephCluster cluster, String pool, String image, long bytes, int threads, long seed) {
        if (bytes / threads < READ_BYTES || bytes > 64L << 30 || bytes % READ_BYTES != 0) {
            throw new IllegalArgumentException(
                    "bytes=" + bytes + " for threads=" + threads + ": at least 1 MiB each, at most 64 GiB, whole MiB");
        }
        this.configFile = cluster.configFile();
        this.pool = pool;
        this.image = image;
        sequences = new long[(int) (bytes / Pattern512.SECTOR)];
        sectorsPerThread = sequences.length / threads;
        nextSequence = new long[threads];
        buffers = new byte[threads][MAX_SECTORS * Pattern512.SECTOR];
        load = new LoadThreads("block ledger on " + pool + "/" + image, threads, seed, this::step);
        try {
            client = new RadosClient(configFile, pool);
            handle = client.openImage(image);
        } catch (RadosException | RbdException e) {
            throw new ClusterException("cannot open " + pool + "/" + image + ": " + e.getMessage(), e);
        }
    }

    private void step(int thread, Random random) throws IOException {
        int sectors = sectors(random);
        int first = thread * sectorsPerThread + random.nextInt(sectorsPerThread - sectors + 1);
        // Most clients are aligned to their block size; the rest hunts for mistakes at the edges.
        if (random.nextInt(5) != 0) {
            first -= first % 8;
        }
        byte[] buffer = buffers[thread];
        if (random.nextInt(4) == 0) {
            read(handle, first, sectors, buffer);
            String difference = difference(buffer, first, sectors);
            if (difference != null) {
                throw new ClusterException("read under load: " + difference);
            }
            return;
        }
        write(thread, first, sectors, buffer);
    }

    private static int sectors(Random random) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> 1 + random.nextInt(16);
            case 2 -> 128;
            case 3 -> 1 + random.nextInt(MAX_SECTORS);
            default -> 8;
        };
    }

    private void write(int thread, int first, int sectors, byte[] buffer) throws RbdException {
        long seq = ++nextSequence[thread];
        for (int i = 0; i < sectors; i++) {
            Pattern512.fill(buffer, i * Pattern512.SECTOR, first + i, seq);
        }
        handle.write(buffer, (long) first * Pattern512.SECTOR, sectors * Pattern512.SECTOR);
        for (int i = 0; i < sectors; i++) {
            sequences[first + i] = seq;
        }
        acknowledged.increment();
    }

    private static void read(RbdImage from, int first, int sectors, byte[] buffer) {
        int length = sectors * Pattern512.SECTOR;
        int n = from.read((long) first * Pattern512.SECTOR, buffer, length);
        if (n != length) {
            throw new ClusterException(
                    "rbd read offset=" + (long) first * Pattern512.SECTOR + " length=" + length + " returned " + n);
        }
    }

    private @Nullable String difference(byte[] buffer, int first, int sectors) {
        for (int i = 0; i < sectors; i++) {
            String difference = Pattern512.difference(buffer, i * Pattern512.SECTOR, first + i, sequences[first + i]);
            if (difference != null) {
                return pool + "/" + image + " " + difference;
            }
        }
        return null;
    }

    @Override
    public void start() {
        load.start();
    }

    @Override
    public void check() {
        load.check();
    }

    @Override
    public void stopIssuing() {
        load.stopIssuing();
    }

    @Override
    public void stop(Duration limit) {
        load.stop(limit);
    }

    @Override
    public long acknowledged() {
        return acknowledged.sum();
    }

    @Override
    public Verification verify() {
        List<String> differences = new ArrayList<>();
        byte[] buffer = new byte[READ_BYTES];
        int step = READ_BYTES / Pattern512.SECTOR;
        try (RadosClient second = new RadosClient(configFile, pool);
                RbdImage fresh = second.openImage(image)) {
            for (int first = 0;
                    first < sequences.length && differences.size() < Verification.MAX_DIFFERENCES;
                    first += step) {
                read(fresh, first, step, buffer);
                String difference = difference(buffer, first, step);
                if (difference != null) {
                    differences.add(difference);
                }
            }
        } catch (IOException e) {
            throw new ClusterException("cannot read " + pool + "/" + image + " back: " + e.getMessage(), e);
        }
        return new Verification((long) sequences.length * Pattern512.SECTOR, differences);
    }

    /** Closes the client, not the image's data. */
    @Override
    public void close() {
        load.stop(Duration.ofMinutes(1));
        try {
            handle.close();
        } catch (RbdException e) {
            throw new ClusterException("cannot close " + pool + "/" + image + ": " + e.getMessage(), e);
        } finally {
            client.close();
        }
    }
}
