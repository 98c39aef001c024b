/**
 * Mutual exclusion for a few dozen nanoseconds. Not exported. Begin with {@link
 * dev.pacegate.gate.Gate}.
 */
@NullMarked
package dev.pacegate.gate;

import org.jspecify.annotations.NullMarked;
