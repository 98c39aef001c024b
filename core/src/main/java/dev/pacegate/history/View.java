package dev.pacegate.history;

import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;

/**
 * What is counted of requests, and for how long. Two limits can be compared only in a view in which
 * both promise something.
 *
 * @param of what is counted
 * @param bound how long after its start a request counts if it has not ended: {@link #START_ONLY},
 *     a bound in nanoseconds, or {@link #UNTIL_END}
 */
record View(Measure of, long bound) {

  static final long START_ONLY = -1;
  static final long UNTIL_END = Long.MAX_VALUE;

  static View of(Promise promise) {
    long bound = promise.countsWhole() ? UNTIL_END : START_ONLY;
    return new View(promise.of(), promise instanceof Promise.Counted c ? c.nanos() : bound);
  }

  /** Returns whether a request counts after its start. */
  boolean isWhole() {
    return bound != START_ONLY;
  }

  boolean endsByItself() {
    return bound != UNTIL_END;
  }

  /**
   * Returns whether all that {@code other} counts is counted here as well: a request that costs
   * something is a call, and one that counts until its end counts after its start.
   */
  boolean includes(View other) {
    boolean asMuch = of.equals(other.of) || (of.equals(Measure.PLAIN) && other.isOfCalls());
    return asMuch && bound >= other.bound;
  }

  boolean isOfCalls() {
    return of.equals(Measure.CALLS);
  }

  /** Returns whether requests count from start to end alike, but perhaps up to another bound. */
  boolean isLike(View other) {
    return of.equals(other.of)
        && isWhole() == other.isWhole()
        && endsByItself() == other.endsByItself();
  }
}
