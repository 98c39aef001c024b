package dev.pacegate.limit.spi;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The state of one limit: what has been released, and so how long the next request must wait.
 *
 * <p>Passive: time is an argument, nothing waits, nothing is called back. Not thread-safe: a
 * limiter guards it. Instants are nanoseconds of one monotonic clock with any origin; a clock that
 * stands still or steps back must not lead to more releases than the promise allows. Waits are
 * never negative and saturate at {@link #LONGEST}; rounding is always to the later side.
 *
 * <p>Asking changes nothing. If recording fails half way, too much has been charged, never too
 * little.
 *
 * <p>A {@code since} argument is the instant from which the request has been first in line: {@code
 * now} for one that has just arrived.
 */
public interface Meter {

  /** The answer "never under this limit, however long the wait". */
  long NEVER = Long.MAX_VALUE;

  /** The answer "time alone will not do: something must end first". */
  long AT_EVENT = Long.MAX_VALUE - 1;

  /** The longest wait that is still a wait, about 292 years. */
  long LONGEST = Long.MAX_VALUE - 2;

  /**
   * Returns the nanoseconds from {@code now} until {@code cost} may be released if nothing else
   * happens: 0 for at once, a wait, {@link #AT_EVENT}, or {@link #NEVER}.
   *
   * <p>Several requests may go together, one after another, when the answer to their sum is 0, and
   * {@link #atLeast} of the last of them behind the others is 0, too.
   */
  long nanosUntil(long since, long now, Cost cost);

  /**
   * Returns a lower bound of the wait of {@code cost} behind requests that sum up to {@code ahead},
   * the first of which has been first in line from {@code since}: whatever is open may end this
   * very moment. Only if something open or ahead turns out unused, or leaves the line, it may be
   * less.
   */
  long atLeast(long since, long now, Cost ahead, Cost cost);

  /** Records that {@code cost} was released at {@code now}; legal without asking. */
  void release(long since, long now, Cost cost);

  /** Charges again what counts starts, as a request released before only starts now. */
  default void startsLate(long now, Cost cost) {
    for (Meter leaf : leaves()) {
      if (!leaf.tracks()) {
        leaf.release(now, now, cost);
      }
    }
  }

  /** Records how a permit ended. Called only if {@link #tracks}, once per release. */
  default void end(long startedAt, long now, Cost cost, Outcome end) {}

  /**
   * Corrects what a release at {@code startedAt} was charged, in the interval of that release: more
   * at once, less only as far as that is certain to break no promise. Of a meter that {@link
   * #tracks} the permit is one it was told of that is open, and ends with {@code actual}.
   *
   * <p>Unless overridden, more is released now, and less is never sent if this meter tracks, or
   * else stays charged.
   */
  default void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = measure().of(actual) - measure().of(charged);
    if (more > 0) {
      release(now, now, measure().cost(more));
    } else if (more < 0 && tracks()) {
      end(startedAt, now, measure().cost(-more), Outcome.NOT_SENT);
    }
  }

  /** Returns whether this meter must be told how each permit ends. */
  default boolean tracks() {
    return false;
  }

  /** Returns which entry of a cost this meter counts. A meter of several counts none by itself. */
  default Measure measure() {
    return Measure.PLAIN;
  }

  /**
   * Tells what this meter knows of what was let through, for one that is to take its place: nothing
   * earlier than it was, and no less than there may have been. What is open is not told.
   *
   * @return false if it remembers nothing of what is over, however much it let through: then what
   *     it tells is of use only where no other tells more
   */
  boolean recall(long now, Past past);

  /**
   * Takes over from a meter of the same kind among {@code old}, the meters of the limit that was in
   * force until now. Called once, on a fresh meter.
   *
   * @return false if it cannot: then all that is known of the past is released to it, and ends, in
   *     the order in which it happened
   */
  default boolean goesOnFrom(long now, List<Meter> old) {
    return false;
  }

  /** Takes over a permit that is open. Called only after it {@linkplain #goesOnFrom went on}. */
  default void adopt(long startedAt, Cost cost) {}

  /**
   * Owes no more than a limit that has just used up all that it gives. Called after each release
   * that is told of the past: what other limits let through is no debt under this one.
   */
  default void forgive(long now) {}

  /**
   * Returns the nanoseconds from {@code now} until this meter is at rest if nothing else happens:
   * as full as it gets, so that a fresh one in its place would let through no more. It may be less
   * where it is worth asking again by then; {@link #AT_EVENT} while something must end first. A key
   * is forgotten once its meter is at rest.
   */
  long restsIn(long now);

  /**
   * Learns what time it was by the peer's clock, to the second, as it answered the request of a
   * release at {@code startedAt}. That answer has come in by {@code now}.
   */
  default void dated(long startedAt, long now, Instant date) {}

  /**
   * Returns for how many nanoseconds a wait can be relied on. Later it is to be asked again though
   * nothing has happened: it is {@link #NEVER} but for limits that follow a clock which may be set.
   */
  default long askAgainAfter() {
    return NEVER;
  }

  /** Returns the meters this one is made of: itself, or its members. */
  default List<Meter> leaves() {
    return List.of(this);
  }

  /**
   * Tells the most that was counted at once so far (in any interval of the limit, out of a burst,
   * or open), one number for each of the limit's {@linkplain MeterProvider#promises() promises}, in
   * their order.
   */
  void most(LongConsumer sink);

  /**
   * Returns how much of what this limit gives is spent by requests that were lost; of several
   * limits, of the one for which {@code cost} has to wait longest.
   */
  default Losses losses(long now, Cost cost) {
    return Losses.NONE;
  }
}
