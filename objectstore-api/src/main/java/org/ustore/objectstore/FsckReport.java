package org.ustore.objectstore;

import java.util.List;

/**
 * What a check of a store found.
 *
 * @param errors one line each, naming the object or structure, what was expected and what was found; empty if clean
 * @param objectsChecked number of objects looked at
 */
public record FsckReport(List<String> errors, long objectsChecked) {
    /** Whether nothing is wrong. */
    public boolean clean() {
        return errors.isEmpty();
    }
}
