package org.ustore.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Block and object writes at the same time, while OSDs may be killed; at the end everything that was acknowledged must be there, the
 * cluster healthy and its deep scrub clean. One thread; the ledgers have their own.
 */
public final class MixedLoad implements AutoCloseable {
    private static final long IMAGE_BYTES = 256L << 20;
    private static final int BLOCK_THREADS = 8;
    private static final int OBJECT_THREADS = 8;
    private static final Duration RECOVERY_LIMIT = Duration.ofMinutes(5);
    private static final Duration CLIENT_LIMIT = Duration.ofMinutes(2);

    private final CephCluster cluster;
    private final Progress progress;
    private final Map<String, Ledger> ledgers = new TreeMap<>();
    private int kills;

    /**
     * What a load came to.
     *
     * @param acknowledged writes
     * @param kills of OSDs under load
     * @param verifiedBytes read back and compared
     * @param problems one line each; empty if all is as it must be
     */
    public record Outcome(long acknowledged, int kills, long verifiedBytes, List<String> problems) {
        public boolean ok() {
            return problems.isEmpty();
        }
    }

    /** Makes an RBD image of {@value #IMAGE_BYTES} bytes in {@code pool}, named after the seed. */
    public MixedLoad(CephCluster cluster, String pool, long seed, Progress progress) {
        this.cluster = cluster;
        this.progress = progress;
        String image = "load-" + Long.toHexString(seed);
        cluster.createImage(pool, image, IMAGE_BYTES);
        try {
            ledgers.put("blocks", new BlockLedger(cluster, pool, image, IMAGE_BYTES, BLOCK_THREADS, seed));
            ledgers.put("objects", new ObjectLedger(cluster, pool, OBJECT_THREADS, seed));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public void start() {
        ledgers.values().forEach(Ledger::start);
    }

    /** Throws if a ledger has failed. */
    public void check() {
        ledgers.values().forEach(Ledger::check);
    }

    /** Writes acknowledged so far. */
    public long acknowledged() {
        return ledgers.values().stream().mapToLong(Ledger::acknowledged).sum();
    }

    /** Waits for so many more acknowledged writes. */
    public void awaitMore(long writes) {
        long target = acknowledged() + writes;
        Wait.until(
                writes + " more acknowledged writes",
                RECOVERY_LIMIT,
                () -> acknowledged() >= target,
                () -> "acknowledged=" + acknowledged() + " wanted=" + target);
        check();
    }

    /** SIGKILL for an OSD; the load goes on. */
    public void kill(int osd) {
        cluster.killOsd(osd);
        kills++;
        progress.say("osd." + osd + " killed with " + acknowledged() + " writes acknowledged");
    }

    /** Starts an OSD that was killed and waits, under load, until all placement groups are active and clean. */
    public void restart(int osd) {
        cluster.startOsd(osd);
        cluster.waitClean(RECOVERY_LIMIT);
        progress.say("osd." + osd + " is back, all placement groups active and clean");
    }

    /** Ends the load, then checks health, scrubs deeply and reads everything back through new clients. */
    public Outcome finish() {
        ledgers.values().forEach(Ledger::stopIssuing);
        ledgers.values().forEach(ledger -> ledger.stop(CLIENT_LIMIT));
        long acknowledged = acknowledged();
        progress.say(acknowledged + " writes acknowledged, waiting for HEALTH_OK");
        cluster.waitHealthy(RECOVERY_LIMIT);
        progress.say("deep scrub of all pools");
        List<String> problems = new ArrayList<>(cluster.deepScrub(RECOVERY_LIMIT));
        long bytes = 0;
        for (Map.Entry<String, Ledger> entry : ledgers.entrySet()) {
            progress.say("reading all " + entry.getKey() + " back");
            Ledger.Verification found = entry.getValue().verify();
            bytes += found.bytes();
            problems.addAll(found.differences());
        }
        cluster.waitHealthy(RECOVERY_LIMIT);
        return new Outcome(acknowledged, kills, bytes, problems);
    }

    @Override
    public void close() {
        ledgers.values().forEach(Ledger::close);
    }
}
