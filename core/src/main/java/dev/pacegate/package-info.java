/**
 * Limiters: they let requests through no faster than a limit allows.
 *
 * <p>Start with {@link dev.pacegate.Limiter}.
 */
@NullMarked
package dev.pacegate;

import org.jspecify.annotations.NullMarked;
