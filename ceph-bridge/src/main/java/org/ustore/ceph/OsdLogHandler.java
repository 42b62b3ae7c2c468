package org.ustore.ceph;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Sends everything logged in Java to the OSD's own log, one entry per record, stack traces included. */
final class OsdLogHandler extends Handler {
    /** Longest entry, in bytes; the rest is cut. */
    private static final int ENTRY_LIMIT = 64 << 10;

    private final Natives natives;
    private final SimpleFormatter formatter = new SimpleFormatter();

    private OsdLogHandler(Natives natives) {
        this.natives = natives;
    }

    /**
     * Makes this the only handler.
     *
     * @param osdLevel what the OSD gathers, 0 to 20: from 10 debug messages are made, from 20 all
     */
    static void install(Natives natives, int osdLevel) {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(osdLevel >= 20 ? Level.ALL : osdLevel >= 10 ? Level.FINE : Level.INFO);
        root.addHandler(new OsdLogHandler(natives));
    }

    @Override
    public void publish(LogRecord record) {
        StringWriter text = new StringWriter();
        text.append("ustore: ").append(formatter.formatMessage(record));
        if (record.getThrown() != null) {
            text.append('\n');
            record.getThrown().printStackTrace(new PrintWriter(text, true));
        }
        byte[] bytes = text.toString().stripTrailing().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, ENTRY_LIMIT);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(length);
            MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, length);
            natives.log(priority(record.getLevel()), copy.address(), length);
        }
    }

    /** Ceph's number for a level; -1 is an error, and also goes to standard error. */
    private static int priority(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return -1;
        }
        if (value >= Level.WARNING.intValue()) {
            return 0;
        }
        if (value >= Level.INFO.intValue()) {
            return 1;
        }
        return value >= Level.FINE.intValue() ? 10 : 20;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
