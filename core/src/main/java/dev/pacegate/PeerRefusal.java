package dev.pacegate;

import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

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

  /** Returns what the peer did with the request; never {@link PeerVerdict#ACCEPTED}. */
  PeerVerdict verdict();

  /**
   * Returns whether that limit counts as the peer does. If so, another client uses the same key at
   * the peer, or the peer's limit is a different one.
   */
  boolean proven();

  /** Returns how many permits are open now; empty if the limit does not hold permits open. */
  OptionalInt open();

  /**
   * Returns how many units of the plain cost the limit would have let through at once; empty if it
   * does not count them, as {@code concurrent(4)} does not.
   */
  OptionalLong left();

  /** Returns for how long requests are paused now. */
  Duration pause();

  /**
   * Returns the limit to write instead, if one is likely to be better: with the same numbers, for
   * requests that are delayed on the way, or with a rate where the limit states none, as an
   * example. Never the limit in force. The grammar reads its text.
   */
  default Optional<Limit> instead() {
    return verdict() == PeerVerdict.OVERLOADED
        ? Optional.empty()
        : new RefusalAdvice(limit()).instead();
  }

  /** Returns an advice in words: what the likely cause is, and what limit to write. */
  default String advice() {
    return verdict() == PeerVerdict.OVERLOADED
        ? "the peer is overloaded"
        : new RefusalAdvice(limit()).text();
  }
}
