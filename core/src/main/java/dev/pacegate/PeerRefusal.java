package dev.pacegate;

import dev.pacegate.limit.Limit;
import java.time.Duration;

/**
 * A request that was let through, and that the peer refused: an immutable value.
 *
 * <p>Only limiters make them; a later version may tell more.
 */
public interface PeerRefusal {

  /** Returns the limiter's name. */
  String limiter();

  /** Returns the limit in force, of the request's key if it has one. */
  Limit limit();

  /**
   * Returns whether that limit counts as the peer does: then another program uses the same key at
   * the peer, or the peer's limit is another one.
   */
  boolean proven();

  /** Returns how many permits are open now. */
  int open();

  /** Returns how much the limit would have let through at once. */
  long left();

  /** Returns for how long no request is let through now. */
  Duration pause();

  /** Returns what is to be done about it, in words. */
  default String advice() {
    return proven()
        ? "someone else uses this key, or its limit is not " + limit()
        : "a limit of starts does not cover delays on the way: try " + limit().asPeerCounts();
  }
}
