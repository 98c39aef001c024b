/** Limiters beside Guava's {@code RateLimiter}. */
@NullMarked
package dev.pacegate.guava;

import org.jspecify.annotations.NullMarked;
