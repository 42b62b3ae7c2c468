package org.ustore.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.ustore.cluster.ClusterSpec.OsdSpec;

/**
 * A running cluster: a monitor, a manager and OSDs as daemons on 127.0.0.1. Not thread-safe but for {@link #close}, which a
 * shutdown hook may call at any time.
 */
public final class CephCluster implements AutoCloseable {
    private static final String STATE_FILE = "cluster.json";
    private static final String HEALTHY = "HEALTH_OK";
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final Duration KILL_LIMIT = Duration.ofSeconds(20);
    // Below the ports that the kernel gives to outgoing connections, so that a restarted monitor finds its own free.
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 10_000;
    private static final int PORT_TRIES = 200;
    private static final int CEPH_TRIES = 3;
    private static final int LOG_LINES = 15;

    private final State state;
    private final Progress progress;
    private final Thread closeAtExit = new Thread(this::interrupted, "stop the cluster");
    private volatile boolean closing;

    /** The contents of {@code cluster.json}. */
    private record State(int version, String fsid, int monPort, List<String> osdUuids, ClusterSpec spec) {
        private static final int VERSION = 1;
    }

    private CephCluster(State state, Progress progress) {
        this.state = state;
        this.progress = progress;
    }

    /**
     * Starts a cluster and waits until it is healthy. When that fails, or this process is ended before {@link #keep}, all
     * that was started is stopped and removed.
     *
     * @throws ClusterException with the last lines of the logs that matter
     */
    public static CephCluster start(ClusterSpec spec, Progress progress) {
        requireTools(spec);
        requireSpace(spec);
        List<String> uuids =
                spec.osds().stream().map(_ -> UUID.randomUUID().toString()).toList();
        State state = new State(State.VERSION, UUID.randomUUID().toString(), freePort(), uuids, spec);
        claim(state);
        CephCluster cluster = new CephCluster(state, progress);
        Runtime.getRuntime().addShutdownHook(cluster.closeAtExit);
        try {
            cluster.startAll();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /**
     * A cluster that another process started and kept.
     *
     * @throws ClusterException if there is none in {@code directory}
     */
    public static CephCluster open(Path directory, Progress progress) {
        Path file = directory.toAbsolutePath().normalize().resolve(STATE_FILE);
        if (!Files.exists(file)) {
            throw new ClusterException("no cluster in " + directory + "; next: ./ustore cluster up --dir " + directory);
        }
        try {
            State state = JSON.readValue(file.toFile(), State.class);
            if (state.version() != State.VERSION) {
                throw new ClusterException(
                        file + " has version " + state.version() + ", this program knows " + State.VERSION);
            }
            return new CephCluster(state, progress);
        } catch (IOException e) {
            throw new ClusterException(file + " is not readable: " + e.getMessage(), e);
        }
    }

    /** Leaves the cluster running when this process ends. */
    public void keep() {
        Runtime.getRuntime().removeShutdownHook(closeAtExit);
    }

    public Path directory() {
        return state.spec().directory();
    }

    public ClusterSpec spec() {
        return state.spec();
    }

    public Path configFile() {
        return directory().resolve("ceph.conf");
    }

    /** For every client program. */
    public Map<String, String> environment() {
        return Map.of("CEPH_CONF", configFile().toString());
    }

    /** A client program against this cluster. */
    public Command command(String... argv) {
        return Command.of(argv).withEnvironment(environment());
    }

    /** Runs {@code ceph ARGS} and parses its JSON. */
    public JsonNode ceph(String... args) {
        List<String> argv = new ArrayList<>(List.of("ceph", "--connect-timeout", "15", "--format", "json"));
        argv.addAll(List.of(args));
        String out = withRetries(Command.of(argv).withEnvironment(environment()));
        try {
            return JSON.readTree(out);
        } catch (JsonProcessingException e) {
            throw new ClusterException(String.join(" ", argv) + " printed no JSON: " + Command.tail(out, LOG_LINES), e);
        }
    }

    // While a monitor or manager is busy, the program now and then gives up before it has sent the command.
    private static String withRetries(Command command) {
        for (int i = 1; i < CEPH_TRIES; i++) {
            Command.Result result = command.run();
            if (result.exitCode() == 0) {
                return result.out();
            }
            if (!result.err().contains("problem getting command descriptions")) {
                break;
            }
        }
        return command.output();
    }

    /** The release, such as {@code 16.2.15}. */
    public static String cephVersion() {
        Matcher matcher = Pattern.compile("version (\\S+)")
                .matcher(Command.of("ceph", "--version").output());
        return matcher.find() ? matcher.group(1) : "unknown";
    }

    /** Process id of a daemon ({@code mon.a}, {@code mgr.x}, {@code osd.0}), or -1 if it does not run. */
    public long pid(String daemon) {
        Path file = directory().resolve("run").resolve(daemon + ".pid");
        try {
            long pid = Long.parseLong(Files.readString(file).trim());
            // Process ids are reused: it is ours only if it was started with our configuration.
            String commandLine = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
            return commandLine.contains(configFile().toString()) ? pid : -1;
        } catch (IOException | NumberFormatException _) {
            return -1;
        }
    }

    public static String osd(int id) {
        return "osd." + id;
    }

    /** All daemons, in the order in which they are stopped. */
    public List<String> daemons() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < spec().osds().size(); i++) {
            names.add(osd(i));
        }
        names.add("mgr.x");
        names.add("mon.a");
        return names;
    }

    /** Kills an OSD with SIGKILL, as a pulled plug of its process, and waits until it is gone. */
    public void killOsd(int id) {
        long pid = pid(osd(id));
        if (pid < 0) {
            throw new ClusterException(osd(id) + " does not run in " + directory());
        }
        Command.of("kill", "-9", Long.toString(pid)).output();
        Wait.until("the end of " + osd(id), KILL_LIMIT, () -> isGone(pid), () -> "pid=" + pid);
    }

    /** Asks an OSD to end (SIGTERM) and waits for it. */
    public void stopOsd(int id) {
        long pid = pid(osd(id));
        if (pid < 0) {
            return;
        }
        Command.of("kill", Long.toString(pid)).output();
        Wait.until("the end of " + osd(id) + " after SIGTERM", STOP_LIMIT, () -> isGone(pid), () -> logTail(osd(id)));
    }

    /** Starts an OSD that has been made before; returns when its process is up, not yet its place in the cluster. */
    public void startOsd(int id) {
        daemon(osd(id), osdEnvironment(id), "ceph-osd", "-c", configFile().toString(), "-i", Integer.toString(id));
    }

    /** ceph-objectstore-tool on a stopped OSD. */
    public Command objectstoreTool(int id, String... args) {
        List<String> argv = new ArrayList<>(
                List.of("ceph-objectstore-tool", "--data-path", osdData(id).toString()));
        argv.addAll(List.of(args));
        Map<String, String> environment = new HashMap<>(environment());
        environment.putAll(osdEnvironment(id));
        return Command.of(argv).withEnvironment(environment).withLimit(START_LIMIT);
    }

    /** Waits for HEALTH_OK with every OSD up and every placement group active and clean. */
    public void waitHealthy(Duration limit) {
        Wait.until(HEALTHY + " of the cluster in " + directory(), limit, this::isHealthy, this::diagnosis);
    }

    /** Waits for every OSD up and every placement group active and clean, whatever the health: slow requests are a warning too. */
    public void waitClean(Duration limit) {
        Wait.until("active and clean placement groups", limit, () -> isClean(ceph("status")), this::diagnosis);
    }

    /** Whether the cluster is HEALTH_OK with all OSDs up and all placement groups active and clean. */
    public boolean isHealthy() {
        JsonNode status = ceph("status");
        return status.path("health").path("status").asText().equals(HEALTHY) && isClean(status);
    }

    private boolean isClean(JsonNode status) {
        requireOpen();
        JsonNode pgs = status.path("pgmap");
        int clean = 0;
        for (JsonNode group : pgs.path("pgs_by_state")) {
            // A scrub in progress does not make a placement group unhealthy.
            clean += group.path("state_name").asText().startsWith("active+clean")
                    ? group.path("count").asInt()
                    : 0;
        }
        return status.path("osdmap").path("num_up_osds").asInt()
                        == spec().osds().size()
                && pgs.path("num_pgs").asInt() == spec().pools().size() * spec().placementGroups()
                && clean == pgs.path("num_pgs").asInt();
    }

    /** Makes an RBD image of {@code bytes} bytes. */
    public void createImage(String pool, String name, long bytes) {
        command("rbd", "create", pool + "/" + name, "--size", bytes + "B", "--image-feature", "layering")
                .output();
    }

    /**
     * Deep-scrubs every placement group of every pool and waits for all.
     *
     * @return the errors found: empty if clean
     */
    public List<String> deepScrub(Duration limit) {
        Map<String, String> before = scrubStamps();
        spec().pools().forEach(pool -> ceph("osd", "pool", "deep-scrub", pool));
        Wait.until(
                "the deep scrub of pools " + spec().pools(),
                limit,
                () -> {
                    Map<String, String> now = scrubStamps();
                    return now.entrySet().stream().noneMatch(e -> e.getValue().equals(before.get(e.getKey())));
                },
                this::diagnosis);
        List<String> errors = new ArrayList<>();
        for (JsonNode pg : placementGroups()) {
            int found = pg.path("stat_sum").path("num_scrub_errors").asInt();
            if (found > 0 || pg.path("state").asText().contains("inconsistent")) {
                errors.add("pg=" + pg.path("pgid").asText() + " scrub_errors=" + found + " state="
                        + pg.path("state").asText());
            }
        }
        return errors;
    }

    /** What an operator wants to know, in a fixed order: health, daemons with their process ids, pools. */
    public Map<String, Object> status() {
        List<Map<String, Object>> daemons = new ArrayList<>();
        for (String name : daemons()) {
            Map<String, Object> daemon = new LinkedHashMap<>();
            daemon.put("name", name);
            daemon.put("pid", pid(name));
            daemon.put("running", pid(name) >= 0);
            daemon.put("rss_mb", residentBytes(pid(name)) >> 20);
            if (name.startsWith("osd.")) {
                daemon.put("store", spec().osds().get(daemons.size()).store().label());
            }
            daemons.add(daemon);
        }
        String health =
                pid("mon.a") < 0 ? "DOWN" : ceph("health").path("status").asText();
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("health", health);
        status.put("dir", directory().toString());
        status.put("daemons", daemons);
        status.put("pools", spec().pools());
        status.put("replicas", spec().replicas());
        status.put("device_bytes", spec().deviceBytes());
        return status;
    }

    /** How to use and stop a cluster that was kept. */
    public String howToUse() {
        String pool = spec().pools().getFirst();
        return """
                The cluster runs in %1$s, pools: %2$s.
                  use it:   export CEPH_CONF=%3$s
                            ceph -s;  rbd create %4$s/disk --size 1G --image-feature layering;  rbd bench --io-type write %4$s/disk
                  status:   ./ustore cluster status --dir %1$s
                  stop it:  ./ustore cluster down --dir %1$s   (removes its data)""".formatted(directory(), String.join(", ", spec().pools()), configFile(), pool);
    }

    /** Stops every daemon and removes the folder. Does nothing the second time. */
    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        stopDaemons();
        deleteDirectory();
        removeHook();
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(closeAtExit);
        } catch (IllegalStateException _) {
            // The process is ending: the hook is what runs.
            return;
        }
    }

    private void interrupted() {
        if (closing) {
            return;
        }
        progress.say("interrupted: stopping the cluster in " + directory());
        Command.killAll();
        close();
    }

    private void stopDaemons() {
        List<String> names = daemons();
        // The monitor goes last: OSDs tell it that they leave.
        terminate(names.subList(0, names.size() - 1));
        terminate(List.of(names.getLast()));
    }

    private void terminate(List<String> names) {
        Map<String, Long> running = new LinkedHashMap<>();
        for (String name : names) {
            long pid = pid(name);
            if (pid >= 0) {
                running.put(name, pid);
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
            }
        }
        if (Wait.reached(STOP_LIMIT, () -> allGone(running))) {
            return;
        }
        running.forEach((name, pid) -> {
            if (!isGone(pid)) {
                progress.say(name + " did not end within " + STOP_LIMIT.toSeconds() + " s of SIGTERM: SIGKILL");
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        });
        Wait.until("the end of " + names + " after SIGKILL", KILL_LIMIT, () -> allGone(running), () -> "");
    }

    private static boolean allGone(Map<String, Long> processes) {
        return processes.values().stream().allMatch(CephCluster::isGone);
    }

    private void startAll() {
        Path dir = directory();
        write(configFile(), CephConf.render(spec(), state.fsid(), state.monPort()));
        for (String sub : List.of("mon", "mgr", "log", "run")) {
            createDirectories(dir.resolve(sub));
        }
        if (spec().uses(StoreKind.USTORE)) {
            UStoreHome.copyTo(dir.resolve("ustore"));
        }
        progress.say("starting the monitor on 127.0.0.1:" + state.monPort());
        startMonitor();
        for (int i = 0; i < spec().osds().size(); i++) {
            progress.say("making and starting " + osd(i) + " on "
                    + spec().osds().get(i).store().label());
            makeOsd(i);
            startOsd(i);
        }
        progress.say("creating pools: " + String.join(", ", spec().pools()));
        spec().pools().forEach(this::createPool);
        progress.say("waiting for " + HEALTHY);
        waitHealthy(START_LIMIT);
    }

    private void startMonitor() {
        String conf = configFile().toString();
        String address = "v1:127.0.0.1:" + state.monPort();
        Path dir = directory();
        Command.of(
                        "monmaptool",
                        "--create",
                        "--clobber",
                        "--fsid",
                        state.fsid(),
                        "--addv",
                        "a",
                        address,
                        dir.resolve("monmap").toString())
                .output();
        Command.of(
                        "ceph-mon",
                        "-c",
                        conf,
                        "--mkfs",
                        "-i",
                        "a",
                        "--monmap",
                        dir.resolve("monmap").toString())
                .output();
        daemon("mon.a", Map.of(), "ceph-mon", "-c", conf, "-i", "a", "--public-addr", address);
        // Its pool would sit on OSDs of one store only, and there are no disks to watch.
        ceph("config", "set", "--force", "mgr", "mgr/devicehealth/enable_monitoring", "false");
        daemon("mgr.x", Map.of(), "ceph-mgr", "-c", conf, "-i", "x");
    }

    private void makeOsd(int id) {
        OsdSpec osd = spec().osds().get(id);
        String uuid = state.osdUuids().get(id);
        Path data = osdData(id);
        createDirectories(data);
        if (osd.store() == StoreKind.USTORE) {
            write(data.resolve("type"), osd.store().label() + "\n");
            write(data.resolve("ustore.conf"), CephConf.renderUStore(spec()));
        }
        Command.of(
                        "fallocate",
                        "-l",
                        Long.toString(spec().deviceBytes()),
                        data.resolve("block").toString())
                .output();
        ceph("osd", "new", uuid, Integer.toString(id));
        daemon(
                osd(id),
                osdEnvironment(id),
                "ceph-osd",
                "-c",
                configFile().toString(),
                "-i",
                Integer.toString(id),
                "--mkfs",
                "--osd-uuid",
                uuid);
        ceph("osd", "crush", "add", osd(id), "1.0", "root=" + osd.pool(), "host=" + osd.pool() + "-host");
    }

    private void createPool(String pool) {
        String pgs = Integer.toString(spec().placementGroups());
        ceph("osd", "crush", "rule", "create-replicated", pool + "-rule", pool, "osd");
        ceph("osd", "pool", "create", pool, pgs, pgs, "replicated", pool + "-rule");
        command("rbd", "pool", "init", pool).withLimit(START_LIMIT).output();
    }

    /** Runs a program that puts itself into the background once it is up, outside the terminal's session. */
    private void daemon(String name, Map<String, String> environment, String... argv) {
        requireOpen();
        Path output = directory().resolve("log").resolve(name + ".out");
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(List.of(argv));
        Command.Result result = Command.of(command)
                .withEnvironment(environment)
                .withOutputFile(output)
                .withLimit(START_LIMIT)
                .run();
        if (result.exitCode() != 0) {
            throw new ClusterException(String.join(" ", argv) + " ended with exit code " + result.exitCode() + "\n"
                    + tail(output) + "\n" + logTail(name));
        }
    }

    private Map<String, String> osdEnvironment(int id) {
        boolean ustore = spec().osds().get(id).store() == StoreKind.USTORE;
        return ustore
                ? Map.of(
                        "LD_PRELOAD",
                        UStoreHome.library(directory().resolve("ustore")).toString())
                : Map.of();
    }

    private Path osdData(int id) {
        return directory().resolve("osd" + id);
    }

    private Map<String, String> scrubStamps() {
        Map<String, String> stamps = new TreeMap<>();
        for (JsonNode pg : placementGroups()) {
            stamps.put(
                    pg.path("pgid").asText(), pg.path("last_deep_scrub_stamp").asText());
        }
        return stamps;
    }

    private JsonNode placementGroups() {
        return ceph("pg", "ls").path("pg_stats");
    }

    private String diagnosis() {
        StringBuilder text = new StringBuilder();
        Command.Result status = command("ceph", "--connect-timeout", "5", "-s").run();
        text.append(status.out()).append(status.err());
        text.append(command("ceph", "--connect-timeout", "5", "health", "detail")
                .run()
                .out());
        for (String name : daemons()) {
            String state = pid(name) < 0 ? " does not run" : " runs";
            text.append("--- ")
                    .append(name)
                    .append(state)
                    .append('\n')
                    .append(logTail(name))
                    .append('\n');
        }
        return text.toString();
    }

    private String logTail(String name) {
        return tail(directory().resolve("log").resolve(name + ".log"));
    }

    private static String tail(Path file) {
        try {
            return Files.exists(file)
                    ? file + ":\n" + Command.tail(Files.readString(file), LOG_LINES)
                    : file + " is missing";
        } catch (IOException e) {
            return file + ": " + e.getMessage();
        }
    }

    private void requireOpen() {
        if (closing) {
            throw new ClusterException("the cluster in " + directory() + " is being stopped");
        }
    }

    private void deleteDirectory() {
        try (Stream<Path> paths = Files.walk(directory())) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + directory(), e);
        }
    }

    private static void requireTools(ClusterSpec spec) {
        List<String> missing = Stream.of(
                        "ceph", "ceph-mon", "ceph-mgr", "ceph-osd", "rbd", "monmaptool", "fallocate", "setsid")
                .filter(tool -> !onPath(tool))
                .toList();
        if (!missing.isEmpty()) {
            throw new ClusterException("not installed: " + String.join(" ", missing)
                    + "; next: apt-get install ceph-osd ceph-mon ceph-mgr ceph-common util-linux");
        }
        if (spec.uses(StoreKind.USTORE)) {
            UStoreHome.locate();
        }
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "/usr/bin").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    private static void requireSpace(ClusterSpec spec) {
        Path existing = spec.directory();
        while (!Files.exists(existing)) {
            existing = Objects.requireNonNull(existing.getParent());
        }
        long needed = spec.deviceBytes() * spec.osds().size() + (1L << 30);
        long free = existing.toFile().getUsableSpace();
        if (free < needed) {
            throw new ClusterException("not enough space in " + existing + ": needed=" + ByteSize.format(needed)
                    + " free=" + (free >> 20) + "M; next: give --dir on another disk, or a smaller --size");
        }
    }

    /** Takes the folder; the state file is made exclusively, so that two processes cannot take the same. */
    private static void claim(State state) {
        Path dir = state.spec().directory();
        createDirectories(dir);
        Path file = dir.resolve(STATE_FILE);
        try (Stream<Path> entries = Files.list(dir)) {
            if (!Files.exists(file) && entries.findAny().isPresent()) {
                throw new ClusterException(dir + " is not empty and holds no cluster; next: give another --dir");
            }
            Files.writeString(file, JSON.writeValueAsString(state), StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw new ClusterException(
                    "there is a cluster in " + dir + " already; next: ./ustore cluster down --dir " + dir, e);
        } catch (IOException e) {
            throw new ClusterException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static int freePort() {
        Random random = new Random();
        for (int i = 0; i < PORT_TRIES; i++) {
            int port = FIRST_PORT + random.nextInt(PORTS);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException _) {
                // Taken by another program: try the next.
            }
        }
        throw new ClusterException("no free port on 127.0.0.1 from " + FIRST_PORT + " to " + (FIRST_PORT + PORTS - 1));
    }

    /**
     * Whether nothing of a process is left that could hold a file or a lock. While it ends, its command line is gone before its files are
     * closed; and where nobody reaps it, its first thread stays as a zombie.
     */
    private static boolean isGone(long pid) {
        Path proc = Path.of("/proc/" + pid);
        try (Stream<Path> threads = Files.list(proc.resolve("task"))) {
            String stat = Files.readString(proc.resolve("stat"));
            return threads.count() <= 1 && stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
        } catch (IOException | UncheckedIOException _) {
            return !Files.exists(proc);
        }
    }

    private static long residentBytes(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException _) {
            return 0;
        }
    }

    private static void createDirectories(Path dir) {
        try {
            Files.createDirectories(dir);
        } catch (IOException e) {
            throw new ClusterException("cannot create " + dir + ": " + e.getMessage(), e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new ClusterException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
