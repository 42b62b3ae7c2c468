package org.ustore.cli;

import org.ustore.cluster.ByteSize;
import picocli.CommandLine.TypeConversionException;

/** A size on the command line, such as {@code 10G}. */
record ByteSizeOption(long bytes) {
    static ByteSizeOption parse(String text) {
        try {
            return new ByteSizeOption(ByteSize.parse(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
