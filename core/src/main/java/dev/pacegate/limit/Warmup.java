package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;

/**
 * A rate that is reached gradually after idleness: {@code warmup(2/1s, over=3s, cold=3)}, for peers
 * with cold caches and empty pools.
 *
 * <p><b>Promise.</b> In any interval W at most {@code largest cost + (W + slack) / T} is released,
 * where T = interval / permits; less while it is cold. Costs are paid later: a request of any cost
 * goes at once, and the next one waits until that cost is paid.
 *
 * <p><b>Formula.</b> When cold, a permit takes {@code cold} times T; when warm, T. In between, the
 * time per permit falls linearly with what has been released, and a request takes the integral, so
 * splitting a request changes nothing. From cold, at full speed, it is warm after {@code over}. The
 * first {@code over / 2 / T} permits saved up by idleness have no effect; after idling for {@code
 * over} it is completely cold again. A limiter is cold at first, and warm if it takes over from a
 * limit that keeps no history.
 *
 * <p><b>Not promised.</b> A ceiling: a request with a wrong, large cost makes the next one wait
 * until that cost is paid. Nor can shares be reserved, as each request may have to pay for others.
 *
 * <p><b>Idle</b> is only the time in which no request waits. It does not cool while a release is
 * late, while a request is refused, or in a gap (shorter than {@code over}) no longer than the last
 * request took to pay. So a limiter that is used at a little less than its rate does warm up. With
 * {@code over=0s} there is no warm-up.
 *
 * <p><b>Source.</b> The warming up {@code RateLimiter} (SmoothWarmingUp) of Guava.
 *
 * @param rate the rate when warm
 * @param overNanos how long it takes to warm up, in nanoseconds
 * @param cold how many times as long a permit takes when cold, from 1 to {@value #COLDEST}
 * @param slackNanos how much lateness of a release the next one makes up for, in nanoseconds
 * @param of what it counts
 */
@CheckReturnValue
public record Warmup(Rate rate, long overNanos, long cold, long slackNanos, Measure of)
    implements Limit {

  /** The default of how many times as long a permit takes when cold. */
  public static final long USUAL_COLD = 3;

  private static final long COLDEST = 1000;

  /** Checks the ranges. */
  public Warmup {
    requireNonNull(rate);
    of.checkAmount("a warm-up");
    Spans.checked("over", overNanos);
    Spans.checked("slack", slackNanos);
    if (cold < 1 || cold > COLDEST) {
      throw new IllegalArgumentException("cold must be from 1 to " + COLDEST + ": " + cold);
    }
  }

  static Warmup of(Rate rate, long overNanos) {
    return new Warmup(rate, overNanos, USUAL_COLD, 0, Measure.PLAIN);
  }

  /** Returns this warm-up with permits that take {@code times} as long when cold. */
  public Warmup cold(long times) {
    return new Warmup(rate, overNanos, times, slackNanos, of);
  }

  /**
   * Returns this warm-up with a slack: a release makes up for up to {@code lateness} of the last
   * one.
   */
  public Warmup slack(Duration lateness) {
    return new Warmup(rate, overNanos, cold, Spans.nanos("slack", lateness), of);
  }

  /** Returns this warm-up counting the cost named {@code name}. */
  public Warmup of(String name) {
    return new Warmup(rate, overNanos, cold, slackNanos, Measure.of(name));
  }

  @Override
  public Meter newMeter(long now) {
    return new WarmupMeter(this, now);
  }

  /** Like a bucket of one permit, except that costs above that are paid later instead of before. */
  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Refilled(1, rate, slackNanos, of, false));
  }

  /** Returns for example {@code warmup(2/1s, over=3s)}. */
  @Override
  public String toString() {
    return new LimitText("warmup", rate)
        .add(Option.OVER, Durations.format(overNanos), null)
        .add(Option.COLD, cold, USUAL_COLD)
        .span(Option.SLACK, slackNanos, 0)
        .add(Option.OF, of.name(), null)
        .toString();
  }
}
