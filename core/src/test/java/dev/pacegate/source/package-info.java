/** Limiters whose permits come from outside, by a {@code MeterSource}. */
@NullMarked
package dev.pacegate.source;

import org.jspecify.annotations.NullMarked;
