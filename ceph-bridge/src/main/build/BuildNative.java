import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the native shim with CMake against the headers of the JDK 25 of the build:
 * {@code java BuildNative.java <source folder> <build folder> <build-id file> <output folder> <Maven's Java home>}.
 *
 * <p>Maven selects a toolchain only if it does not run on a JDK 25 itself; so that JDK is either the one running this
 * program or the one running Maven.
 */
public final class BuildNative {
    private BuildNative() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 5) {
            throw new IllegalArgumentException("needs 5 arguments, got " + args.length);
        }
        Path jdk = jdk(Path.of(args[4]), Path.of(System.getProperty("java.home")));
        checkTools(jdk);
        run("cmake", "-S", args[0], "-B", args[1], "-DJDK_HOME=" + jdk, "-DBUILD_ID_FILE=" + args[2],
                "-DUSTORE_OUTPUT=" + args[3]);
        run("cmake", "--build", args[1], "--parallel", Integer.toString(Runtime.getRuntime().availableProcessors()));
    }

    private static Path jdk(Path... candidates) throws IOException {
        for (Path home : candidates) {
            Path release = home.resolve("release");
            if (Files.exists(release)
                    && Files.readAllLines(release).stream().anyMatch(line -> line.startsWith("JAVA_VERSION=\"25"))) {
                return home;
            }
        }
        System.err.println("The native shim cannot be built: no JDK 25 among " + List.of(candidates)
                + ". Next: install a JDK 25 and run Maven with it as JAVA_HOME.");
        System.exit(1);
        throw new AssertionError();
    }

    private static void checkTools(Path jdk) {
        Map<String, String> missing = new LinkedHashMap<>();
        Map.of("g++", "g++", "cmake", "cmake", "make", "make").forEach((tool, apt) -> {
            if (!onPath(tool)) {
                missing.put(tool, apt);
            }
        });
        if (!Files.exists(Path.of("/usr/include/rados/buffer.h"))) {
            missing.put("/usr/include/rados/buffer.h", "libradospp-dev");
        }
        if (!missing.isEmpty()) {
            System.err.println("The native shim cannot be built, missing: " + String.join(", ", missing.keySet())
                    + ". Next: apt-get install " + String.join(" ", missing.values()));
            System.exit(1);
        }
        if (!Files.exists(jdk.resolve("include/jni.h"))) {
            System.err.println("The native shim cannot be built: " + jdk + " has no include/jni.h. "
                    + "Next: install a full JDK 25, not a JRE.");
            System.exit(1);
        }
    }

    private static boolean onPath(String tool) {
        for (String folder : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(folder, tool))) {
                return true;
            }
        }
        return false;
    }

    private static void run(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(command));
        int exit = new ProcessBuilder(line).inheritIO().start().waitFor();
        if (exit != 0) {
            System.err.println("failed with exit code " + exit + ": " + String.join(" ", line));
            System.exit(1);
        }
    }
}
