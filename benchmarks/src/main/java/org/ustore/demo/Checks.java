package org.ustore.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ustore.cluster.BlockLedger;
import org.ustore.cluster.ByteSize;
import org.ustore.cluster.CephCluster;
import org.ustore.cluster.Command;
import org.ustore.cluster.Ledger;
import org.ustore.cluster.Progress;
import org.ustore.cluster.Wait;
import org.ustore.demo.DemoReport.Check;

/** What must be true of a store under a cluster; every check says what it saw. */
final class Checks {
    private static final Duration CLIENT_LIMIT = Duration.ofMinutes(2);
    private static final Duration RECOVERY_LIMIT = Duration.ofMinutes(2);
    private static final long LEDGER_BYTES = 256L << 20;
    private static final long SNAPSHOT_BYTES = 64L << 20;
    private static final int LEDGER_THREADS = 16;
    private static final long WRITES_BEFORE_KILL = 3000;

    private final CephCluster cluster;
    private final Progress progress;
    private final List<Check> results = new ArrayList<>();

    Checks(CephCluster cluster, Progress progress) {
        this.cluster = cluster;
        this.progress = progress;
    }

    List<Check> results() {
        return List.copyOf(results);
    }

    void record(String name, boolean ok, String detail) {
        results.add(new Check(name, ok, detail));
        progress.say((ok ? "ok: " : "FAILED: ") + name + ": " + detail);
    }

    /** Every byte that fio wrote is read back by another client process and checked. */
    void verifyImage(String name, Fio fio) {
        Command.Result result = fio.verify();
        record(
                name,
                result.exitCode() == 0,
                result.exitCode() == 0
                        ? "every 4 KiB of the image has fio's checksum and place"
                        : Command.tail(result.err() + result.out(), 3));
    }

    /** Kills the OSD in the middle of a write load; after a restart every acknowledged write must be there. */
    void killUnderLoad(String pool, int osd) {
        cluster.createImage(pool, "ledger", LEDGER_BYTES);
        long seed = System.nanoTime();
        try (Ledger ledger = new BlockLedger(cluster, pool, "ledger", LEDGER_BYTES, LEDGER_THREADS, seed)) {
            ledger.start();
            Wait.until(
                    WRITES_BEFORE_KILL + " acknowledged writes",
                    CLIENT_LIMIT,
                    () -> ledger.acknowledged() >= WRITES_BEFORE_KILL,
                    () -> "acknowledged=" + ledger.acknowledged());
            cluster.killOsd(osd);
            ledger.stopIssuing();
            long acknowledged = ledger.acknowledged();
            progress.say("osd." + osd + " killed with " + acknowledged + " writes acknowledged, starting it again");
            cluster.startOsd(osd);
            cluster.waitHealthy(RECOVERY_LIMIT);
            ledger.stop(CLIENT_LIMIT);
            Ledger.Verification found = ledger.verify();
            record(
                    "kill-9-" + pool,
                    found.ok(),
                    found.ok()
                            ? acknowledged + " acknowledged writes are there after kill -9 and restart (seed " + seed
                                    + ")"
                            : "seed=" + seed + " " + String.join("; ", found.differences()));
        }
    }

    /** Snapshot, overwrite, compare the snapshot, roll back, compare the image. */
    void snapshot(String pool, int osd) {
        cluster.createImage(pool, "snap", SNAPSHOT_BYTES);
        String image = pool + "/snap";
        Fio fio = new Fio(cluster, pool, osd, "snap");
        fio.fill();
        String before = sha256(image);
        cluster.command("rbd", "--no-progress", "snap", "create", image + "@s").output();
        fio.fill();
        String overwritten = sha256(image);
        String kept = sha256(image + "@s");
        cluster.command("rbd", "--no-progress", "snap", "rollback", image + "@s")
                .withLimit(CLIENT_LIMIT)
                .output();
        String after = sha256(image);
        boolean ok = !before.equals(overwritten) && kept.equals(before) && after.equals(before);
        record(
                "snapshot-" + pool,
                ok,
                ok
                        ? ByteSize.format(SNAPSHOT_BYTES) + " equal after snapshot, overwrite and rollback"
                        : "sha256 before=" + before + " overwritten=" + overwritten + " snapshot=" + kept
                                + " rolled_back=" + after);
    }

    /** Deep scrub of every placement group of both stores. */
    void deepScrub() {
        List<String> errors = cluster.deepScrub(RECOVERY_LIMIT);
        int placementGroups =
                cluster.spec().placementGroups() * cluster.spec().pools().size();
        record(
                "deep-scrub",
                errors.isEmpty(),
                errors.isEmpty()
                        ? placementGroups + " placement groups of pools "
                                + String.join(" and ", cluster.spec().pools()) + " clean"
                        : String.join("; ", errors));
    }

    void healthy() {
        cluster.waitHealthy(RECOVERY_LIMIT);
        record("health", true, "HEALTH_OK at the end");
    }

    private String sha256(String image) {
        return cluster.command("rbd", "--no-progress", "export", image, "-")
                .withLimit(CLIENT_LIMIT)
                .outputSha256();
    }
}
