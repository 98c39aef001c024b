package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.time.Instant;

/**
 * Is told what a limiter does, outside of its machinery: on the thread that asked or, where nobody
 * asked, on any, the timer's included: it must not block. What a listener throws is logged and
 * harms nobody.
 *
 * <p>Instants are nanoseconds of the limiter's clock, spans are nanoseconds.
 */
public interface LimiterListener {

  /** A request was let through at {@code instant}, after waiting {@code waited}. */
  default void onRelease(Cost cost, long instant, long waited) {}

  /** A request was refused at once; it would have had to wait {@code atLeast}. */
  default void onRefusal(Cost cost, long atLeast) {}

  /** A request left the line without a permit: interrupted, cancelled, timed out, or failed. */
  default void onLeave(Cost cost, long waited) {}

  /** A request is sent only {@code after} its release, and has been charged again as of now. */
  default void onLateStart(Cost cost, long after) {}

  /** The peer has refused a request that was let through. */
  default void onPeerRefusal(PeerRefusal refusal) {}

  /**
   * A permit has been open for {@code open}: for more than a minute, or for long while a request
   * has waited for more than a second for it to end. Told once of each permit.
   */
  default void onOverdue(Cost cost, long open) {}

  /**
   * A permit that was open for {@code open} counts as lost: the limit says so, or the program no
   * longer refers to it and so can no longer end it.
   */
  default void onAbandon(Cost cost, long open) {}

  /**
   * A request has to wait, or was refused, because of {@code allowance}, all that the limit gives,
   * more than half is spent by requests that were lost, {@code lost} in all. It may go at {@code
   * until}, by the limiter's time of day, if nothing else happens. Told once a minute at most, of
   * each key.
   */
  default void onStarvation(long lost, long allowance, Instant until) {}
}
