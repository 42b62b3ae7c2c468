package org.ustore.cluster;

import com.ceph.rados.IoCTX;
import com.ceph.rados.exceptions.RadosException;
import com.ceph.rados.exceptions.RadosNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Ledger} over RADOS objects that come and go: full writes, appends, overwrites, truncations, attributes, removals, one in five
 * operations a checked read. The objects' names start with the seed, so that ledgers of different seeds do not meet.
 */
public final class ObjectLedger implements Ledger {
    private static final int OBJECTS_PER_THREAD = 40;
    private static final int MAX_BYTES = 256 << 10;
    private static final String ATTRIBUTE = "ledger";

    private final Path configFile;
    private final String pool;
    private final String prefix;
    private final List<Map<String, Content>> expected = new ArrayList<>();
    private final LoadThreads load;
    private final LongAdder acknowledged = new LongAdder();
    private final RadosClient client;

    /** What an object holds. */
    private static final class Content {
        private byte[] data = new byte[0];
        private @Nullable String attribute;
    }

    public ObjectLedger(CephCluster cluster, String pool, int threads, long seed) {
        this.configFile = cluster.configFile();
        this.pool = pool;
        this.prefix = "ledger-" + Long.toHexString(seed) + "-";
        for (int i = 0; i < threads; i++) {
            expected.add(new TreeMap<>());
        }
        load = new LoadThreads("object ledger on " + pool, threads, seed, this::step);
        try {
            client = new RadosClient(configFile, pool);
        } catch (RadosException e) {
            throw new ClusterException("cannot connect to pool " + pool + ": " + e.getMessage(), e);
        }
    }

    private void step(int thread, Random random) throws RadosException {
        String name = prefix + thread + "-" + random.nextInt(OBJECTS_PER_THREAD);
        Map<String, Content> mine = expected.get(thread);
        int choice = random.nextInt(20);
        if (choice < 4) {
            String difference = difference(client.pool(), name, mine.get(name));
            if (difference != null) {
                throw new ClusterException("read under load: " + difference);
            }
            return;
        }
        Content content = mine.get(name);
        if (content == null) {
            content = new Content();
            content.data = bytes(random, MAX_BYTES / 2);
            client.pool().writeFull(name, content.data, content.data.length);
            mine.put(name, content);
        } else if (choice < 6) {
            client.pool().remove(name);
            mine.remove(name);
        } else {
            change(client.pool(), name, content, choice, random);
        }
        acknowledged.increment();
    }

    private static void change(IoCTX pool, String name, Content content, int choice, Random random)
            throws RadosException {
        byte[] old = content.data;
        if (choice < 10) {
            byte[] data = bytes(random, 32 << 10);
            int offset = random.nextInt(MAX_BYTES - data.length);
            pool.write(name, data, offset);
            content.data = Arrays.copyOf(old, Math.max(old.length, offset + data.length));
            System.arraycopy(data, 0, content.data, offset, data.length);
        } else if (choice < 13 && old.length < MAX_BYTES) {
            byte[] data = bytes(random, 8 << 10);
            pool.append(name, data);
            content.data = Arrays.copyOf(old, old.length + data.length);
            System.arraycopy(data, 0, content.data, old.length, data.length);
        } else if (choice < 15) {
            int length = random.nextInt(MAX_BYTES);
            pool.truncate(name, length);
            content.data = Arrays.copyOf(old, length);
        } else if (choice < 18) {
            String value = Long.toHexString(random.nextLong());
            pool.setExtendedAttribute(name, ATTRIBUTE, value);
            content.attribute = value;
        } else {
            content.data = bytes(random, MAX_BYTES / 2);
            pool.writeFull(name, content.data, content.data.length);
        }
    }

    private static byte[] bytes(Random random, int maxLength) {
        byte[] data = new byte[1 + random.nextInt(maxLength)];
        random.nextBytes(data);
        return data;
    }

    private static @Nullable String difference(IoCTX pool, String name, @Nullable Content content)
            throws RadosException {
        byte[] found = new byte[MAX_BYTES * 2];
        int length;
        try {
            length = pool.read(name, found.length, 0, found);
        } catch (RadosNotFoundException _) {
            return content == null ? null : name + " is missing, expected_length=" + content.data.length;
        }
        if (content == null) {
            return name + " was removed but is there, length=" + length;
        }
        int at = Arrays.mismatch(content.data, 0, content.data.length, found, 0, length);
        if (at >= 0) {
            return name + " expected_length=" + content.data.length + " found_length=" + length
                    + " first_different_byte=" + at;
        }
        String attribute = content.attribute == null
                ? null
                : pool.getExtendedAttribute(name, ATTRIBUTE).trim();
        boolean same = content.attribute == null || content.attribute.equals(attribute);
        return same ? null : name + " expected_attribute=" + content.attribute + " found_attribute=" + attribute;
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
        long bytes = 0;
        try (RadosClient second = new RadosClient(configFile, pool)) {
            for (int thread = 0; thread < expected.size(); thread++) {
                for (int i = 0; i < OBJECTS_PER_THREAD && differences.size() < Verification.MAX_DIFFERENCES; i++) {
                    String name = prefix + thread + "-" + i;
                    Content content = expected.get(thread).get(name);
                    String difference = difference(second.pool(), name, content);
                    if (difference != null) {
                        differences.add(difference);
                    }
                    bytes += content == null ? 0 : content.data.length;
                }
            }
            checkListing(second.pool(), differences);
        } catch (RadosException e) {
            throw new ClusterException("cannot read the objects of pool " + pool + " back: " + e.getMessage(), e);
        }
        return new Verification(bytes, differences);
    }

    private void checkListing(IoCTX from, List<String> differences) throws RadosException {
        List<String> listed = Arrays.stream(from.listObjects())
                .filter(name -> name.startsWith(prefix))
                .sorted()
                .toList();
        List<String> wanted = expected.stream()
                .map(Map::keySet)
                .flatMap(Collection::stream)
                .sorted()
                .toList();
        if (!listed.equals(wanted)) {
            differences.add("listing of pool " + pool + ": listed=" + listed.size() + " expected=" + wanted.size());
        }
    }

    @Override
    public void close() {
        load.stop(Duration.ofMinutes(1));
        client.close();
    }
}
