package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.time.Duration;

/**
 * The proof that a limiter let one request through, and the handle by which the request ends.
 *
 * <p>How it ends is what the peer saw: {@link #answered} if the answer is in, {@link #notSent} if
 * the request was provably never sent, {@link #lost} if the outcome is unknown. The safe outcome is
 * the default: {@link #close} without a word before it is <em>lost</em>, as a transaction rolls
 * back unless it is committed. So by hand it is
 *
 * <pre>{@code
 * try (Permit permit = api.acquire()) {
 *   send();
 *   permit.answered(); // an exception before it: the request is lost
 * }
 * }</pre>
 *
 * <p>Only the first end counts. A limit that counts starts needs no end, and all of these do
 * nothing; one that is {@code concurrent} or counts as the {@code peer} does keeps a permit spent
 * until it has ended.
 *
 * <p>Thread-safe; any thread may end a permit.
 */
public interface Permit extends AutoCloseable {

  /** Ends the permit: the answer is in, the peer counts nothing of this request from now on. */
  void answered();

  /**
   * Ends the permit: the request was provably never sent. What a limit held for it until its end is
   * given back; a limit that counts starts has counted this one.
   */
  void notSent();

  /**
   * Ends the permit, outcome unknown (a time-out, a broken connection): it stays spent for as long
   * as the peer may yet count it.
   */
  void lost();

  /**
   * Ends the permit as the failure of its request says: see {@link FailureClassifier}, or what the
   * limiter was built with.
   */
  void failed(Throwable failure);

  /**
   * Ends the permit if it has not ended: as {@link #answered} if it has been {@linkplain
   * #settle(Cost) settled}, as only an answer tells what a request cost; otherwise as {@link
   * #lost}.
   */
  @Override
  void close();

  /**
   * Corrects what the request was charged, now that it is known what it costs: for callers who had
   * to estimate. What it costs more is charged at once, what it costs less is given back; both in
   * the interval of the release, as far as the limit can tell. If estimates are never too low, no
   * limit is ever passed; if they are, by no more than was missing in all that was under way.
   *
   * <p>A permit that stays spent until its end must be settled before. May be called again. Who
   * settles has the answer: {@link #close} then ends the permit as {@link #answered}.
   *
   * @param actual all that it costs: what it does not state counts as {@link Cost} says, a plain
   *     amount as 1 and a named one as 0
   * @throws IllegalArgumentException if that is not one call
   * @throws IllegalStateException if the permit has ended, or if no cost was named when it was
   *     asked for, under a limit that needs no end: {@code acquire()}, but not {@code acquire(1)}.
   *     Of a limiter built with {@code stamped(true)} every permit can be settled
   */
  default void settle(Cost actual) {
    throw new IllegalStateException(
        "this permit was asked for without a cost and cannot be settled: name one, as in"
            + " acquire(1), or build the limiter with stamped(true)");
  }

  /** Corrects the plain cost alone; named ones stay as they are. See {@link #settle(Cost)}. */
  default void settle(long actual) {
    settle(Cost.of(actual));
  }

  /**
   * Says that the request is sent now; to be called just before. A limiter that is built with
   * {@link Limiter.Builder#late} charges a request again that is sent later than that after it was
   * charged, as of now, because a limit of starts counts it where it was released. A limit that
   * counts until the end, as the {@code peer} does, has it right in any case. May be called again
   * by a process that may have stood still again.
   *
   * @return how long ago the permit was released; zero if it is one that knows no instant
   */
  default Duration sending() {
    return Duration.ZERO;
  }

  /** Returns what the request is charged: what was asked for, or what it was settled to. */
  default Cost cost() {
    return Cost.ONE;
  }

  /** Returns how long the request waited in line. */
  Duration waited();

  /**
   * Returns the instant of the release, in nanoseconds of the limiter's clock. It is known if a
   * cost was named ({@code acquire(1)}), if the limit needs to know how permits end, or if the
   * limiter was built with {@code stamped(true)} or {@code late}. Neither the number nor a wait
   * matters.
   *
   * @throws IllegalStateException for every other permit: these keep no instant, so that asking for
   *     them allocates nothing
   */
  default long releasedAt() {
    throw new IllegalStateException(
        "this permit was asked for without a cost and knows no instant: name one, as in"
            + " acquire(1), or build the limiter with stamped(true)");
  }
}
