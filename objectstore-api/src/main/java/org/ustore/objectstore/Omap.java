package org.ustore.objectstore;

import java.util.SortedMap;

/**
 * All of an object's omap.
 *
 * @param header the header, empty if there is none
 * @param entries keys and values in ascending order
 */
public record Omap(ByteString header, SortedMap<ByteString, ByteString> entries) {}
