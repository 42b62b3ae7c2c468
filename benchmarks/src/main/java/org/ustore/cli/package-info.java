/**
 * The command line behind {@code ./ustore}: one picocli class per command. Progress goes to standard error, results to
 * standard output; the exit code is 0 when everything asked for was done, 1 when not, 2 when the command line was wrong.
 */
@NullMarked
package org.ustore.cli;

import org.jspecify.annotations.NullMarked;
