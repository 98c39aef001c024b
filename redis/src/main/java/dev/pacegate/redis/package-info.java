/** Limits that several programs share through a Redis server. */
@NullMarked
package dev.pacegate.redis;

import org.jspecify.annotations.NullMarked;
