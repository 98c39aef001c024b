package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A bucket of {@code burst} permits, full at first, that is replenished continuously: {@code
 * bucket(100/1s, burst=20)}.
 *
 * <p><b>Promise.</b> In any interval W at most {@code max(B, largest cost) + (W + slack) / T} is
 * released, where B is the burst and T = interval / permits, the exact time per permit. A burst of
 * 1 with unit costs is a spacing.
 *
 * <p><b>Formula.</b> The bucket lacks {@code max(-slack, lack - elapsed)}; a cost c up to B goes
 * when that is at most {@code (B - c) T}, and adds {@code c T}. A cost above B waits until the
 * bucket is full and {@code (c - B) T} longer, counted from when it is first in line.
 *
 * <p><b>Not promised.</b> At most {@code permits} per interval: right after idleness a bucket lets
 * B more through. If the peer says "at most so many in any minute", use a {@link Window}.
 *
 * <p><b>Source.</b> ITU-T I.371, generic cell rate algorithm, in its continuous leaky bucket form.
 *
 * @param rate how fast the bucket is replenished
 * @param burst how much it holds, 1 or more
 * @param slackNanos how much lateness of a release the next one makes good, in nanoseconds
 * @param initial how full it is at first
 * @param oversize what becomes of a cost above the burst
 * @param of what it counts
 */
public record Bucket(
    Rate rate, long burst, long slackNanos, Initial initial, Oversize oversize, Measure of)
    implements Limit {

  /** How full a bucket is at first. */
  public enum Initial {
    /** As usual: full; empty as the peer counts, whose bucket may be in use. */
    USUAL,
    /** Full. */
    FULL,
    /** Empty. */
    EMPTY
  }

  /** What becomes of a cost above the burst. */
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
    Spans.checked("slack", slackNanos);
    if (new Emission(rate).ceil(burst) > Spans.MAX) {
      throw new IllegalArgumentException(
          "burst is too large: " + burst + " take more than a hundred years at " + rate);
    }
  }

  static Bucket of(Rate rate) {
    return new Bucket(rate, 1, 0, Initial.USUAL, Oversize.WAIT, Measure.PLAIN);
  }

  /** Returns this bucket with room for {@code permits}. */
  public Bucket burst(long permits) {
    return new Bucket(rate, permits, slackNanos, initial, oversize, of);
  }

  /** Returns this bucket making good up to {@code lateness} of a late release. */
  public Bucket slack(Duration lateness) {
    return new Bucket(rate, burst, Spans.nanos("slack", lateness), initial, oversize, of);
  }

  /** Returns this bucket with another initial level. */
  public Bucket initial(Initial level) {
    return new Bucket(rate, burst, slackNanos, level, oversize, of);
  }

  /** Returns this bucket with another treatment of costs above the burst. */
  public Bucket oversize(Oversize treatment) {
    return new Bucket(rate, burst, slackNanos, initial, treatment, of);
  }

  /** Returns this bucket counting the cost named {@code name}. */
  public Bucket of(String name) {
    return new Bucket(rate, burst, slackNanos, initial, oversize, Measure.of(name));
  }

  @Override
  public Meter newMeter(long now) {
    return new BucketMeter(this, now);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Refilled(burst, rate, slackNanos, of, false));
  }

  /** The rate's share exactly, the burst's in whole permits. */
  @Override
  public Limit share(int percent) {
    return portion(percent, Portion.of(percent, burst, this));
  }

  @Override
  public Limit rest(int... percents) {
    return portion(Portion.percentOfRest(percents), Portion.rest(burst, percents));
  }

  private Bucket portion(int percent, long ofBurst) {
    Rate slower = new Rate(rate.permits(), Portion.longer(percent, rate.nanos(), this));
    return new Bucket(slower, ofBurst, slackNanos, initial, oversize, of);
  }

  @Override
  public Limit asPeerCounts() {
    return Peer.of(this);
  }

  /** Returns for example {@code bucket(100/1s, burst=20)}. */
  @Override
  public String toString() {
    var text = new StringBuilder("bucket(").append(rate);
    if (burst != 1) {
      text.append(", burst=").append(burst);
    }
    if (slackNanos != 0) {
      text.append(", slack=").append(Durations.format(slackNanos));
    }
    if (initial != Initial.USUAL) {
      text.append(", initial=").append(lower(initial));
    }
    if (oversize != Oversize.WAIT) {
      text.append(", oversize=").append(lower(oversize));
    }
    if (of.name() != null) {
      text.append(", of=").append(of.name());
    }
    return text.append(')').toString();
  }

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
