/** Limiters that share a limit through Redis, tried side by side by processes of their own. */
@NullMarked
package dev.pacegate.redis.contest;

import org.jspecify.annotations.NullMarked;
