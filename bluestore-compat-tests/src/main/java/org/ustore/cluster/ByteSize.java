package org.ustore.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 4096}, {@code 64K}, {@code 10G}; the units are powers of 1024. */
public final class ByteSize {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,15})([KMGT]?)(?:i?B)?");
    private static final String UNITS = "KMGT";

    private ByteSize() {}

    /**
     * The bytes that {@code text} stands for.
     *
     * @throws IllegalArgumentException for anything else than digits and one of K, M, G, T, and above 8 EiB
     */
    public static long parse(String text) {
        Matcher matcher = TEXT.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size: write digits and K, M, G or T, such as 10G");
        }
        String unit = matcher.group(2);
        int shift = unit.isEmpty() ? 0 : 10 * (UNITS.indexOf(unit) + 1);
        long count = Long.parseLong(matcher.group(1));
        if (count > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("'" + text + "' is above 8 EiB");
        }
        return count << shift;
    }

    /** The shortest exact spelling, such as {@code 10G}. */
    public static String format(long bytes) {
        int unit = -1;
        long count = bytes;
        while (count != 0 && count % 1024 == 0 && unit < UNITS.length() - 1) {
            count /= 1024;
            unit++;
        }
        return unit < 0 ? Long.toString(count) : count + UNITS.substring(unit, unit + 1);
    }
}
