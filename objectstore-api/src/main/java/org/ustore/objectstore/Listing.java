package org.ustore.objectstore;

import java.util.List;

/**
 * One page of a collection's objects.
 *
 * @param objects in ascending order
 * @param next the first object not returned (at or after the end, if the end stopped the listing), or
 *     {@link ObjectId#MAX} if the collection holds no more
 */
public record Listing(List<ObjectId> objects, ObjectId next) {}
