/** The part about streams, with a page of its own. */
@NullMarked
package dev.pacegate.benchmarks.streams;

import org.jspecify.annotations.NullMarked;
