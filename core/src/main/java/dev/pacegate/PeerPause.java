package dev.pacegate;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Instant;

/**
 * A pause of more than five seconds that an answer of the peer has begun: an immutable value.
 *
 * <p>Only limiters create these; a later version may add methods.
 */
public interface PeerPause {

  /** Returns the limiter's name. */
  String limiter();

  /**
   * Returns what the peer did with the request that it answered; {@link PeerVerdict#ACCEPTED} if
   * requests are paused because nothing is left of a quota.
   */
  PeerVerdict verdict();

  /** Returns why requests are paused, in words. */
  String reason();

  /** Returns what states the length, such as {@code Retry-After}; empty if the peer does not. */
  String source();

  /** Returns for how long requests are paused from now on. */
  Duration length();

  /** Returns when the pause ends, by the limiter's time of day. */
  Instant until();

  /** Returns all of it in words. */
  default String text() {
    return "paused for "
        + Durations.brief(length().toNanos())
        + ", because "
        + reason()
        + (source().isEmpty() ? "" : " (" + source() + ")");
  }
}
