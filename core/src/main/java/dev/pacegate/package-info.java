/**
 * Limiters: they let requests through no faster than a limit allows.
 *
 * <p>Start with {@link dev.pacegate.Limiter}.
 */
package dev.pacegate;
