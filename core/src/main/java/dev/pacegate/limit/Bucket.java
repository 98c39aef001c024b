package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

/**
 * A token bucket that holds {@code burst} permits, starts full and is refilled continuously: {@code
 * bucket(100/1s, burst=20)}.
 *
 * <p><b>Promise.</b> In any interval W at most {@code max(B, largest cost) + (W + slack) / T} is
 * released, where B is the burst and T = interval / permits, the exact time per permit. A burst of
 * 1 with unit costs is a spacing.
 *
 * <p><b>Formula.</b> The bucket lacks {@code max(-slack, lack - elapsed)}; a cost c up to B goes
 * when that is at most {@code (B - c) T}, and adds {@code c T}. A cost above B waits until the
 * bucket is full and {@code (c - B) T} longer, counted from when it is first in the queue.
 *
 * <p><b>Paying later.</b> {@code bucket(5/1s, burst=5, pay=later, debt=100)} lets a cost go while
 * the bucket holds less than that, down to a debt of L = 100; the next request waits until the debt
 * is paid. A cost c goes when the bucket holds {@code max(0, c - L)}; one above B + L is refused.
 * In any interval W at most {@code B + L + (W + slack) / T} is released. A change of the limit does
 * not make debt cheaper. No share can be reserved, as each request may have to pay for others.
 *
 * <p><b>Not promised.</b> At most {@code permits} per interval: right after idleness a bucket lets
 * B more through. If the peer says "at most so many in any minute", use a {@link Window}.
 *
 * <p><b>Source.</b> ITU-T I.371, generic cell rate algorithm, in its continuous leaky bucket form;
 * paying later is the bursty {@code RateLimiter} (SmoothBursty) of Guava.
 *
 * @param rate how fast the bucket is refilled
 * @param burst how much it holds, 1 or more
 * @param debt how much may be paid later, 0 for none
 * @param slackNanos how much lateness of a release the next one makes up for, in nanoseconds
 * @param initial how full it is at first
 * @param oversize how a cost above the burst is treated; NEVER if it is paid later
 * @param of what it counts
 */
@CheckReturnValue
public record Bucket(
    Rate rate,
    long burst,
    long debt,
    long slackNanos,
    Initial initial,
    Oversize oversize,
    Measure of)
    implements Limit {

  /** How full a bucket is at first. */
  public enum Initial {
    /** The default: full; under {@link Peer} empty, as the peer's bucket may be in use. */
    USUAL,
    /** Full. */
    FULL,
    /** Empty. */
    EMPTY,
    /** Empty, and in debt as far as allowed: an earlier process may just have used up all. */
    SPENT
  }

  /** How a cost above the burst is treated. */
  public enum Oversize {
    /** It waits longer than for a full bucket. */
    WAIT,
    /** It is refused. */
    NEVER
  }

  /** Checks the ranges. */
  public Bucket {
    requireNonNull(rate);
    requireNonNull(initial);
    requireNonNull(oversize);
    of.checkAmount("a bucket");
    if (burst < 1) {
      throw new IllegalArgumentException("burst must be at least 1: " + burst);
    }
    if (debt < 0) {
      throw new IllegalArgumentException("debt must not be negative: " + debt);
    }
    if (debt > 0 && oversize != Oversize.NEVER) {
      throw new IllegalArgumentException(
          "oversize must be never if costs are paid later: a cost above burst + debt is refused");
    }
    Spans.checked("slack", slackNanos);
    checkReach(rate, "burst", burst);
    checkReach(rate, "debt", debt);
  }

  private static void checkReach(Rate rate, String what, long permits) {
    if (new EmissionInterval(rate).ceil(permits) > Spans.MAX) {
      throw new IllegalArgumentException(
          what + " is too large: " + permits + " take more than a hundred years at " + rate);
    }
  }

  static Bucket of(Rate rate) {
    return new Bucket(rate, 1, 0, 0, Initial.USUAL, Oversize.WAIT, Measure.PLAIN);
  }

  /** Returns this bucket with a burst of {@code permits}. */
  public Bucket burst(long permits) {
    return new Bucket(rate, permits, debt, slackNanos, initial, oversize, of);
  }

  /** Returns this bucket with up to {@code permits}, 1 or more, paid later. */
  public Bucket payLater(long permits) {
    if (permits < 1) {
      throw new IllegalArgumentException("debt must be at least 1: " + permits);
    }
    return new Bucket(rate, burst, permits, slackNanos, initial, Oversize.NEVER, of);
  }

  /**
   * Returns this bucket with a slack: a release makes up for up to {@code lateness} of the last
   * one.
   */
  public Bucket slack(Duration lateness) {
    return new Bucket(rate, burst, debt, Spans.nanos("slack", lateness), initial, oversize, of);
  }

  /** Returns this bucket with another initial level. */
  public Bucket initial(Initial level) {
    return new Bucket(rate, burst, debt, slackNanos, level, oversize, of);
  }

  /** Returns this bucket with another treatment of costs above the burst. */
  public Bucket oversize(Oversize treatment) {
    return new Bucket(rate, burst, debt, slackNanos, initial, treatment, of);
  }

  /** Returns this bucket counting the cost named {@code name}. */
  public Bucket of(String name) {
    return new Bucket(rate, burst, debt, slackNanos, initial, oversize, Measure.of(name));
  }

  @Override
  public Meter newMeter(long now) {
    return initial == Initial.SPENT
        ? newSpentMeter(now, InstantSource.system())
        : new BucketMeter(this, now);
  }

  @Override
  public Limit withoutInitialState() {
    return initial(Initial.FULL);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Refilled(burst + debt, rate, slackNanos, of, false));
  }

  /** The rate's share exactly, the burst's in whole permits; none of what is paid later. */
  @Override
  public Limit share(Portion portion) {
    if (debt != 0) {
      throw new IllegalArgumentException(
          "no share of " + this + " can be reserved: each request may have to pay for others");
    }
    Rate slower = new Rate(rate.permits(), portion.longer(rate.nanos(), this));
    return new Bucket(slower, portion.of(burst, this), 0, slackNanos, initial, oversize, of);
  }

  /** No peer counts a bucket that is paid later, so this one stays as it is. */
  @Override
  public Limit asPeerCounts() {
    return debt == 0 ? Peer.of(this) : this;
  }

  /** Returns for example {@code bucket(100/1s, burst=20)}. */
  @Override
  public String toString() {
    return new LimitText("bucket", rate)
        .add(Option.BURST, burst, 1L)
        .add(Option.PAY, debt == 0 ? "now" : "later", "now")
        .add(Option.DEBT, debt, debt == 0 ? 0L : burst)
        .span(Option.SLACK, slackNanos, 0)
        .add(Option.INITIAL, lower(initial), lower(Initial.USUAL))
        .add(Option.OVERSIZE, debt == 0 ? lower(oversize) : "wait", "wait")
        .add(Option.OF, of.name(), null)
        .toString();
  }

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
