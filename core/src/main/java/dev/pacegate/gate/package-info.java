/** Mutual exclusion for a few dozen nanoseconds. Not exported. */
package dev.pacegate.gate;
