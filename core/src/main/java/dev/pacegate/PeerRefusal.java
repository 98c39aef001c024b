package dev.pacegate;

import dev.pacegate.limit.Limit;
import java.time.Duration;

/**
 * A request that was let through, and that the peer refused.
 *
 * @param limiter the limiter's name
 * @param limit the limit in force, of the request's key if it has one
 * @param proven whether that limit counts as the peer does: then somebody else uses the same key at
 *     the peer, or the peer's limit is another one
 * @param open how many permits are open now
 * @param left how much the limit would have let through at once
 * @param pause for how long nobody is let through now
 */
public record PeerRefusal(
    String limiter, Limit limit, boolean proven, int open, long left, Duration pause) {

  /** Returns what is to be done about it, in words. */
  public String advice() {
    return proven
        ? "someone else uses this key, or its limit is not " + limit
        : "a limit of starts does not cover delays on the way: try " + limit.asPeerCounts();
  }
}
