/**
 * The side-by-side run: UStore and BlueStore in one real cluster, files of the same size on the same disk, a pool on each, the same
 * workloads in alternation, every written byte verified, a kill -9 under load, snapshots, deep scrub.
 *
 * <p>{@link org.ustore.demo.Demo} is the script, {@link org.ustore.demo.Fio} runs one cell, {@link org.ustore.demo.Checks} holds what must be
 * true, {@link org.ustore.demo.DemoReport} is the result.
 */
@NullMarked
package org.ustore.demo;

import org.jspecify.annotations.NullMarked;
