/**
 * Limiters, which let requests through no faster than a limit allows, and the permits they grant.
 * Begin with {@link dev.pacegate.Limiter}; for one limit per account or host see {@link
 * dev.pacegate.KeyedLimiter}.
 */
@NullMarked
package dev.pacegate;

import org.jspecify.annotations.NullMarked;
