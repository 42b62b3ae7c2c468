package org.ustore.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ustore.engine.device.IoMode;
import org.ustore.objectstore.ErrorCode;
import org.ustore.objectstore.ObjectStoreException;

/** Settings are read as documented, and what is wrong is named. */
final class StoreConfigTest {
    @TempDir
    private Path folder = Path.of("");

    private StoreConfig load(String text) throws IOException {
        Path file = folder.resolve("ustore.conf");
        Files.writeString(file, text);
        return StoreConfig.load(file);
    }

    @Test
    void readsEveryKey() throws IOException {
        assertThat(load("""
                        # a store
                        device = /dev/somewhere
                        device_size=100G
                          log_size = 512m
                        java_home = /opt/java

                        heap_max = 2G
                        direct_max = 1073741824
                        jvm_options = -Xlog:gc -Da=b
                        io = portable
                        """))
                .isEqualTo(new StoreConfig(
                        "/dev/somewhere",
                        100L << 30,
                        512L << 20,
                        "/opt/java",
                        2L << 30,
                        1L << 30,
                        "-Xlog:gc -Da=b",
                        IoMode.PORTABLE));
    }

    @Test
    void noFileMeansTheDefaults() {
        assertThat(StoreConfig.load(folder.resolve("none"))).isEqualTo(StoreConfig.defaults());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "logsize = 1G        | unknown key 'logsize'; known are device, device_size, log_size",
                "log_size            | 'log_size' is not of the form key = value",
                "log_size = 12X      | log_size = 12X is not a size from 1M to",
                "log_size = 1K       | log_size = 1K is not a size from 1M to",
                "log_size = -5G      | for example log_size = 256M",
                "device_size = 9T    | device_size = 9T is not a size from 8M to",
                "device_size = 99999999999999999999 | device_size = 99999999999999999999 is not a size",
                "heap_max =          | heap_max =  is not a size from 64M",
                "device =            | device is empty",
                "io = libaio         | io = libaio is not auto, uring or portable",
            })
    void namesWhatIsWrong(String line, String message) {
        assertThatThrownBy(() -> load("# first line\n" + line))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContaining(message)
                .hasMessageContaining("ustore.conf");
    }

    @Test
    void refusesAKeySetTwice() {
        assertThatThrownBy(() -> load("log_size = 1G\nlog_size = 2G"))
                .hasMessageContaining("line 2: key 'log_size' is set twice");
    }
}
