/**
 * Paced operators and actors for Apache Pekko. Begin with {@link dev.pacegate.pekko.Throttle} for
 * streams, or {@link dev.pacegate.pekko.ThrottlerActor} for actors. They take permits from a {@link
 * dev.pacegate.Limiter} and wait by its timer, never by Pekko's scheduler.
 */
@NullMarked
package dev.pacegate.pekko;

import org.jspecify.annotations.NullMarked;
