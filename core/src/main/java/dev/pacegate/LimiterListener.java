package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.time.Instant;
import java.util.OptionalDouble;

/**
 * Receives limiter events.
 *
 * <p>Methods are called outside the limiter's locks: on the requesting thread, or, for events
 * without one, on any thread, the timer's included. They must not block. An exception that a
 * listener throws is logged and affects no request.
 *
 * <p>Instants are nanoseconds of the limiter's clock; durations are nanoseconds.
 */
public interface LimiterListener {

  /** A request was released at {@code instant}, after waiting {@code waited}. */
  default void onRelease(Cost cost, long instant, long waited) {}

  /** A request was refused at once; it would have waited {@code atLeast} or longer. */
  default void onRefusal(Cost cost, long atLeast) {}

  /** A request left the queue without a permit: interrupted, cancelled, timed out, or failed. */
  default void onLeave(Cost cost, long waited) {}

  /** A request is sent only {@code after} its release, and has been charged again as of now. */
  default void onLateStart(Cost cost, long after) {}

  /** The peer refused a request that was let through. */
  default void onPeerRefusal(PeerRefusal refusal) {}

  /** An answer of the peer has paused requests for more than five seconds. */
  default void onPeerPause(PeerPause pause) {}

  /**
   * Refusals by the peer have brought a working rate into force, of {@code perSecond} units a
   * second at first; or it is empty, as only the limit is in force again. How the rate falls and
   * rises meanwhile is told by {@link Snapshot#workingRate}.
   */
  default void onWorkingRate(OptionalDouble perSecond) {}

  /**
   * A permit is overdue: it has been open for {@code open}, more than a minute, or long while a
   * request waited more than a second for it to end. Reported once per permit.
   */
  default void onOverdue(Cost cost, long open) {}

  /**
   * A permit was abandoned after it was open for {@code open}, and counts as lost: it reached the
   * limit's {@code abandon} age, or the program no longer refers to it and so cannot end it.
   */
  default void onAbandon(Cost cost, long open) {}

  /**
   * A request has to wait, or was refused, because lost requests spend more than half of the
   * allowance: {@code lost} of {@code allowance} units. It may go at {@code until}, by the
   * limiter's time of day, if nothing else happens. Reported at most once a minute for each key.
   */
  default void onStarvation(long lost, long allowance, Instant until) {}
}
