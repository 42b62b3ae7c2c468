package org.ustore.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ustore.engine.device.IoMode;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/**
 * The settings of one store: {@code key = value} lines of the file {@code ustore.conf} in the OSD's data folder.
 *
 * <p>A line that starts with {@code #} is a comment. Sizes are bytes, or carry one of the binary suffixes K, M, G, T. A key
 * that is not known, or comes twice, is refused.
 *
 * @param device file or block device that holds the store, relative to the OSD's data folder; default {@code block}
 * @param deviceSizeBytes size of the file that mkfs makes if there is none, in bytes; 0 if not set
 * @param logSizeBytes size of the log, fixed by mkfs, in bytes; 0 for 256 MiB, or an eighth of a device of less than 2 GiB
 * @param javaHome folder of a JDK or JRE 25, empty to find one; read by the native library
 * @param heapMaxBytes limit of the heap in bytes; read by the native library
 * @param directMaxBytes limit of memory outside the heap in bytes; up to half of it holds data not yet destaged
 * @param jvmOptions more options for the JVM; read by the native library
 * @param io how many writes at a time reach the device: {@code auto}, {@code uring} or {@code portable}
 */
public record StoreConfig(
        String device,
        long deviceSizeBytes,
        long logSizeBytes,
        String javaHome,
        long heapMaxBytes,
        long directMaxBytes,
        String jvmOptions,
        IoMode io) {

    /** Smallest device, in bytes. */
    public static final long MIN_DEVICE_BYTES = 8L << 20;
    /** Largest device, in bytes: block numbers have 31 bits. */
    public static final long MAX_DEVICE_BYTES = (8L << 40) - 4096;
    /** Smallest log, in bytes. */
    public static final long MIN_LOG_BYTES = 1L << 20;

    private static final long MIN_HEAP_BYTES = 64L << 20;
    private static final long MIN_DIRECT_BYTES = 64L << 20;
    private static final long DEFAULT_MEMORY_BYTES = 1L << 30;
    private static final long MAX_MEMORY_BYTES = 1L << 40;
    private static final List<String> KEYS =
            List.of("device", "device_size", "log_size", "java_home", "heap_max", "direct_max", "jvm_options", "io");

    /** The defaults. */
    public static StoreConfig defaults() {
        return new StoreConfig("block", 0, 0, "", DEFAULT_MEMORY_BYTES, DEFAULT_MEMORY_BYTES, "", IoMode.AUTO);
    }

    /**
     * Reads a file; one that does not exist means the defaults.
     *
     * @throws ObjectStoreException {@code EINVAL} naming the key, the value, what is allowed and an example
     */
    public static StoreConfig load(Path file) {
        List<String> lines;
        try {
            lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new ObjectStoreException(ErrorCode.EIO, "cannot read " + file + ": " + e.getMessage(), e);
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            parseLine(file + " line " + (i + 1), lines.get(i).strip(), values);
        }
        return of(file, values);
    }

    private static void parseLine(String where, String line, Map<String, String> values) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        int equals = line.indexOf('=');
        if (equals <= 0) {
            throw invalid(where + ": '" + line + "' is not of the form key = value, such as log_size = 256M");
        }
        String key = line.substring(0, equals).strip();
        if (!KEYS.contains(key)) {
            throw invalid(where + ": unknown key '" + key + "'; known are " + String.join(", ", KEYS));
        }
        if (values.putIfAbsent(key, line.substring(equals + 1).strip()) != null) {
            throw invalid(where + ": key '" + key + "' is set twice; keep one");
        }
    }

    private static StoreConfig of(Path file, Map<String, String> values) {
        StoreConfig defaults = defaults();
        String device = values.getOrDefault("device", defaults.device);
        if (device.isEmpty()) {
            throw invalid(file + ": device is empty; give a path, such as device = block");
        }
        return new StoreConfig(
                device,
                size(file, values, "device_size", 0, MIN_DEVICE_BYTES, MAX_DEVICE_BYTES, "100G"),
                size(file, values, "log_size", 0, MIN_LOG_BYTES, MAX_DEVICE_BYTES / 2, "256M"),
                values.getOrDefault("java_home", defaults.javaHome),
                size(file, values, "heap_max", defaults.heapMaxBytes, MIN_HEAP_BYTES, MAX_MEMORY_BYTES, "1G"),
                size(file, values, "direct_max", defaults.directMaxBytes, MIN_DIRECT_BYTES, MAX_MEMORY_BYTES, "1G"),
                values.getOrDefault("jvm_options", defaults.jvmOptions),
                ioMode(file, values.getOrDefault("io", "auto")));
    }

    private static IoMode ioMode(Path file, String text) {
        return switch (text) {
            case "auto" -> IoMode.AUTO;
            case "uring" -> IoMode.URING;
            case "portable" -> IoMode.PORTABLE;
            default ->
                throw invalid(file + ": io = " + text + " is not auto, uring or portable; leave it out for auto");
        };
    }

    private static long size(
            Path file, Map<String, String> values, String key, long absent, long min, long max, String example) {
        String text = values.get(key);
        if (text == null) {
            return absent;
        }
        long value = parseSize(text);
        if (value < min || value > max) {
            throw invalid(file + ": " + key + " = " + text + " is not a size from " + format(min) + " to " + format(max)
                    + "; for example " + key + " = " + example);
        }
        return value;
    }

    /** The bytes that {@code text} means, or -1 if it is no size. */
    private static long parseSize(String text) {
        String digits = text.toUpperCase(Locale.ROOT);
        int shift = 0;
        int suffix = digits.isEmpty() ? -1 : "KMGT".indexOf(digits.charAt(digits.length() - 1));
        if (suffix >= 0) {
            shift = 10 * (suffix + 1);
            digits = digits.substring(0, digits.length() - 1);
        }
        if (digits.isEmpty() || digits.length() > 18 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        long number = Long.parseLong(digits);
        return number > Long.MAX_VALUE >> shift ? -1 : number << shift;
    }

    private static String format(long bytes) {
        String[] suffixes = {"", "K", "M", "G", "T"};
        int s = 0;
        long value = bytes;
        while (s < suffixes.length - 1 && value >= 1024 && value % 1024 == 0) {
            value /= 1024;
            s++;
        }
        return value + suffixes[s];
    }

    private static ObjectStoreException invalid(String message) {
        return new ObjectStoreException(ErrorCode.EINVAL, message);
    }
}
