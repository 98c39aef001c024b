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

  /** Why requests are paused. */
  enum Reason {
    /** The peer refused a request. */
    REFUSED("the peer refused a request"),
    /** The peer could not serve a request. */
    OVERLOADED("the peer is overloaded"),
    /** The peer has nothing left of a quota. */
    QUOTA_SPENT("other clients have used the rest of the peer's quota");

    private final String words;

    Reason(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** Returns the limiter's name. */
  String limiter();

  /** Returns why requests are paused. */
  Reason reason();

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
        + ", as "
        + reason()
        + (source().isEmpty() ? "" : " (" + source() + ")");
  }
}
