package org.ustore.engine.meta;

/** Who may change a piece of metadata in place; compared by identity. */
public final class Owner {}
