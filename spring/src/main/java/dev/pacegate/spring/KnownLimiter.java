package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import org.jspecify.annotations.Nullable;

/**
 * A limiter as operators see it.
 *
 * @param all the limiter, or that of all keys together
 * @param keyed null if it has no keys
 */
record KnownLimiter(Limiter all, @Nullable KeyedLimiter<?> keyed) {

  static KnownLimiter of(Limiter limiter) {
    return new KnownLimiter(limiter, null);
  }

  static KnownLimiter of(KeyedLimiter<?> keyed) {
    return new KnownLimiter(keyed.all(), keyed);
  }

  /**
   * Sets the limit, or that of each key. As properties do, it counts as the peer does unless the
   * text says otherwise. A keyed limiter is the program's, which may tell no ends: one that counts
   * starts goes on to do so.
   *
   * @throws IllegalArgumentException if the text is no limit, or cannot be kept
   */
  void setLimit(String text) {
    Limit next = Limits.parse(text);
    if (keyed == null) {
      all.setLimit(next.asPeerCounts());
    } else {
      keyed.setLimit(keyed.limit().countsWhole() ? next.asPeerCounts() : next);
    }
  }
}
