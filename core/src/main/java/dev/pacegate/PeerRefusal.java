package dev.pacegate;

import dev.pacegate.limit.Limit;
import java.time.Duration;

/**
 * A refusal by the peer of a request that was let through: an immutable value.
 *
 * <p>Only limiters create these; a later version may add methods.
 */
public interface PeerRefusal {

  /** Returns the limiter's name. */
  String limiter();

  /** Returns the limit in force for the request's key, or of the limiter. */
  Limit limit();

  /** Returns why the peer refused the request. */
  Rejection.Cause cause();

  /**
   * Returns whether that limit counts as the peer does. If so, another client uses the same key at
   * the peer, or the peer's limit is a different one.
   */
  boolean proven();

  /** Returns how many permits are open now. */
  int open();

  /** Returns how many units the limit would have let through at once. */
  long left();

  /** Returns for how long requests are paused now. */
  Duration pause();

  /** Returns an advice in words: what the likely cause is, or what limit to try. */
  default String advice() {
    if (cause() == Rejection.Cause.OVERLOAD) {
      return "the peer is overloaded";
    }
    return proven()
        ? "another client uses this key, or its limit is not " + limit()
        : "a limit of starts does not cover delays on the way: try " + limit().asPeerCounts();
  }
}
