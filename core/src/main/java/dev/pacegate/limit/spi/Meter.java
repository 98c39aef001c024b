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
 * <p>Passive: time is an argument, and a meter never waits or calls back. Not thread-safe: a
 * limiter guards it. Instants are nanoseconds of one monotonic clock with any origin. A clock that
 * stands still or steps back must not lead to more releases than the promise allows. Waits are
 * never negative and saturate at {@link #LONGEST}; rounding is always to the later side.
 *
 * <p>Asking changes nothing. If recording fails half way, too much has been charged, never too
 * little.
 *
 * <p>A {@code since} argument is the instant from which the request has been first in the queue:
 * {@code now} for one that has just arrived.
 */
public interface Meter {

  /** The answer "never under this limit, however long the wait". */
  long NEVER = Long.MAX_VALUE;

  /** The answer "not by time alone: a permit must end first". */
  long AT_EVENT = Long.MAX_VALUE - 1;

  /** The longest wait that is still a wait, about 292 years. */
  long LONGEST = Long.MAX_VALUE - 2;

  /**
   * Returns the nanoseconds from {@code now} until {@code cost} may be released if nothing else
   * happens: 0 for at once, a wait, {@link #AT_EVENT}, or {@link #NEVER}.
   *
   * <p>Several requests may go together, one after another, if the answer for their sum is 0 and
   * {@link #atLeast} of the last of them behind the others is 0.
   */
  long nanosUntil(long since, long now, Cost cost);

  /**
   * Returns a lower bound of the wait of {@code cost} behind requests that sum up to {@code ahead},
   * the first of which has been first in the queue from {@code since}. It assumes that every open
   * permit ends now. The wait may be shorter only if an open permit ends as not sent, or a request
   * ahead leaves the queue.
   */
  long atLeast(long since, long now, Cost ahead, Cost cost);

  /** Records that {@code cost} was released at {@code now}; may be called without asking before. */
  void release(long since, long now, Cost cost);

  /** Charges a request again that was released before but starts only now; for limits of starts. */
  default void startsLate(long now, Cost cost) {
    for (Meter leaf : leaves()) {
      if (!leaf.tracks()) {
        leaf.release(now, now, cost);
      }
    }
  }

  /**
   * Records that the request of an open permit is sent only now. Matters to a limit of which the
   * peer counts a request at most some time after it is sent. May be called again. Later calls name
   * {@code now} as its start, to a meter that {@link #tracks}.
   */
  default void sent(long startedAt, long now, Cost cost) {}

  /** Records how a permit ended. Called only if {@link #tracks}, once per release. */
  default void end(long startedAt, long now, Cost cost, Outcome end) {}

  /**
   * Returns how many {@linkplain Outcome#ANSWERED answered} ends of {@link Cost#ONE} may be
   * reported late, as started and ended at that later instant: they need no reading of the clock of
   * their own. Asked once, when the meter comes into force, and not of a meter behind a state file,
   * a source or a change. Only so many as reduce the throughput by nothing that can be measured.
   */
  default long mostUndated() {
    return 0;
  }

  /**
   * Corrects the cost of a release at {@code startedAt}, in the interval of that release: a higher
   * cost at once, a lower one only as far as that certainly breaks no promise. If this meter {@link
   * #tracks}, the permit is open and will end with {@code actual}.
   *
   * <p>By default, a higher cost is released now; a lower cost ends the difference as not sent if
   * this meter tracks, and otherwise stays charged.
   */
  default void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = measure().of(actual) - measure().of(charged);
    if (more > 0) {
      release(now, now, measure().cost(more));
    } else if (more < 0 && tracks()) {
      end(startedAt, now, measure().cost(-more), Outcome.NOT_SENT);
    }
  }

  /**
   * Corrects the cost of an open request that was {@linkplain #sent sent} at {@code sentAt}. A
   * meter that does not {@linkplain #tracks track} knows it by its release all the same.
   */
  default void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    for (Meter leaf : leaves()) {
      leaf.settle(leaf.tracks() ? sentAt : releasedAt, now, charged, actual);
    }
  }

  /** Returns whether this meter must be told how each permit ends. */
  default boolean tracks() {
    return false;
  }

  /**
   * Returns the entry of a cost that this meter counts. A meter of several limits counts none
   * itself.
   */
  default Measure measure() {
    return Measure.PLAIN;
  }

  /**
   * Reports to {@code past} what this meter knows of earlier releases, for a meter that replaces
   * it: no instant earlier than it was, and no amount smaller than it may have been. Open permits
   * are not reported.
   *
   * @return false if a meter that counts the same may know more: this one remembers nothing that is
   *     over, or does not know when requests ended. Then the report is used only if no other does
   */
  boolean recall(long now, Past past);

  /**
   * Takes over the state of a meter of the same kind among {@code old}, the meters of the limit in
   * force until now. Called once, on a fresh meter.
   *
   * @return false if it cannot: then the known past is replayed to it, releases and ends in the
   *     order in which they happened
   */
  default boolean goesOnFrom(long now, List<Meter> old) {
    return false;
  }

  /** Takes over an open permit. Called only after {@link #goesOnFrom} returned true. */
  default void adopt(long startedAt, Cost cost) {}

  /**
   * Reduces debt to that of a limit that has just used up all that it gives. Called after each
   * replayed release: what other limits let through is no debt under this one.
   */
  default void forgive(long now) {}

  /**
   * Returns the nanoseconds from {@code now} until this meter is at rest if nothing else happens: a
   * fresh meter in its place would let through no more. It may return less if asking again then is
   * worthwhile; {@link #AT_EVENT} while a permit must end first. A key is dropped once its meter is
   * at rest.
   */
  long restsIn(long now);

  /**
   * Takes the time of the peer's clock, to the second, when it answered the request released at
   * {@code startedAt}. That answer has come in by {@code now}.
   */
  default void dated(long startedAt, long now, Instant date) {}

  /** Returns whether this meter must be told what the peer has counted: {@link #stated}. */
  default boolean hearsCounts() {
    return false;
  }

  /**
   * Takes how much of its own limit the peer says is used, in its response to the open request
   * released at {@code startedAt}. Called only if {@link #hearsCounts}, at most once per release.
   *
   * @return whether this is the first response that contradicts what the limit says of the peer
   */
  default boolean stated(long startedAt, long now, Cost cost, long used) {
    return false;
  }

  /**
   * The peer has refused a request. Called only if {@link #hearsCounts}.
   *
   * @return as {@link #stated}
   */
  default boolean refused() {
    return false;
  }

  /**
   * Returns for how many nanoseconds a computed wait is valid. After that it must be computed again
   * even if nothing has happened. {@link #NEVER} except for limits that follow a clock that may be
   * set.
   */
  default long askAgainAfter() {
    return NEVER;
  }

  /** Returns the meters of which this one consists: itself, or its members. */
  default List<Meter> leaves() {
    return List.of(this);
  }

  /**
   * Reports the most counted at once so far (in any interval of the limit, out of a burst, or
   * open): one number for each of the limit's {@linkplain MeterProvider#promises() promises}, in
   * their order.
   */
  void most(LongConsumer sink);

  /**
   * Returns how much of this limit lost requests spend; of several limits, of the one for which
   * {@code cost} has to wait longest.
   */
  default Losses losses(long now, Cost cost) {
    return Losses.NONE;
  }
}
