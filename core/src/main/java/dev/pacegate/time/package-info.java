/**
 * The clock and the timer of limiters, and a manual replacement for tests. Begin with {@link
 * dev.pacegate.time.ManualTime} to test your own code without sleeping.
 */
@NullMarked
package dev.pacegate.time;

import org.jspecify.annotations.NullMarked;
