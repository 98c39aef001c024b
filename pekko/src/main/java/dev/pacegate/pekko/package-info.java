/**
 * Streams and actors of Pekko, paced: operators that take their permits from a {@link
 * dev.pacegate.Limiter} and wait by its timer, never by Pekko's wheel.
 */
@NullMarked
package dev.pacegate.pekko;

import org.jspecify.annotations.NullMarked;
