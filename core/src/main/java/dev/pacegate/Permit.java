package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import java.time.Duration;

/**
 * Proof that a limiter let one request through, and the handle to end that request.
 *
 * <p>The end says what the peer saw: {@link #answered} if the answer is in, {@link #notSent} if the
 * request was provably never sent, {@link #lost} if the outcome is unknown. The safe outcome is the
 * default: {@link #close} alone means <em>lost</em>, as a transaction rolls back unless it is
 * committed. So by hand:
 *
 * <pre>{@code
 * try (Permit permit = api.acquire()) {
 *   send();
 *   permit.answered(); // an exception before it: the request is lost
 * }
 * }</pre>
 *
 * <p>Only the first end counts. Under a limit that counts starts, ends have no effect. A {@code
 * concurrent} limit, or one that counts as the {@code peer} does, keeps a permit spent until it has
 * ended.
 *
 * <p>Thread-safe; any thread may end a permit.
 */
public interface Permit extends AutoCloseable {

  /** Ends the permit: the answer is in, and the peer counts this request no later than now. */
  void answered();

  /**
   * Ends the permit: the request was provably never sent. A limit that holds permits until they end
   * gives this one back; a limit that counts starts has counted it.
   */
  void notSent();

  /**
   * Ends the permit with an unknown outcome (a time-out, a broken connection). It stays spent for
   * as long as the peer may yet count the request.
   */
  void lost();

  /**
   * Ends the permit as {@code failure} is classified: by {@link FailureClassifier}, or by the
   * classifier that the limiter was built with.
   */
  void failed(Throwable failure);

  /**
   * Ends the permit unless it has ended: as {@link #answered} if it was {@linkplain #settle(Cost)
   * settled}, since only an answer tells the actual cost; otherwise as {@link #lost}.
   */
  @Override
  void close();

  /**
   * Corrects an estimated cost to the actual one. A higher cost is charged at once, a lower one is
   * given back, both in the interval of the release as far as the limit can tell. If estimates are
   * never too low, no limit is ever passed; otherwise it is passed by at most the sum of the
   * under-estimates under way.
   *
   * <p>Under a limit that holds permits until they end, settle before ending. May be called again.
   * {@link #close} then ends the permit as {@link #answered}. A plain amount that no limit
   * {@linkplain Limiter#requireCounted counts} changes nothing, which is logged once.
   *
   * @param actual the whole cost. What it does not state counts as {@link Cost} says: a plain
   *     amount as 1 and a named one as 0
   * @throws IllegalArgumentException if that is not one call
   * @throws IllegalStateException if the permit has ended; or if it was asked for without a cost,
   *     by {@code acquire()} instead of {@code acquire(1)}, under a limit that needs no end. Every
   *     permit of a limiter built with {@code stamped(true)} can be settled
   */
  default void settle(Cost actual) {
    requireNonNull(actual);
    throw new IllegalStateException(
        "this permit was asked for without a cost and cannot be settled: name one, as in"
            + " acquire(1), or build the limiter with stamped(true)");
  }

  /** Corrects the plain cost alone; named costs stay as they are. See {@link #settle(Cost)}. */
  default void settle(long actual) {
    settle(Cost.of(actual));
  }

  /**
   * Reports that the request is sent now; call it just before. If the limiter was built with {@link
   * Limiter.Builder#late} and more than that bound has passed since the request was charged, it is
   * charged again as of now, because a limit of starts counts it at its release. Under {@code
   * peer(…, counted=2s)} the 2 s begin anew; call it no later than {@code counted} and one interval
   * after the release (of a bucket: and the time for one permit), as from then on the peer may
   * count one request too many. A limit that counts until the end, as {@code peer} without {@code
   * counted}, needs no call. May be called again if the process may have stood still again.
   *
   * @return the time since the release; zero if the permit knows no instant
   */
  default Duration sending() {
    return Duration.ZERO;
  }

  /** Returns the cost charged: the one asked for, or the one settled. */
  default Cost cost() {
    return Cost.ONE;
  }

  /** Returns how long the request waited in the queue. */
  Duration waited();

  /**
   * Returns the instant of the release, in nanoseconds of the limiter's clock. It is known if the
   * request named a cost ({@code acquire(1)}), if the limit holds permits until they end, or if the
   * limiter was built with {@code stamped(true)} or {@code late}.
   *
   * @throws IllegalStateException for any other permit, which stores no instant so that it need not
   *     be allocated
   */
  default long releasedAt() {
    throw new IllegalStateException(
        "this permit was asked for without a cost and knows no instant: name one, as in"
            + " acquire(1), or build the limiter with stamped(true)");
  }
}
