/** Mutual exclusion for a few dozen nanoseconds. Not exported. */
@NullMarked
package dev.pacegate.gate;

import org.jspecify.annotations.NullMarked;
