/**
 * The speed of subjects that take turns within the same JVMs: what disturbs one disturbs all, and
 * only what is left after that is a difference.
 */
@NullMarked
package dev.pacegate.benchmarks.interleaved;

import org.jspecify.annotations.NullMarked;
