package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;

/**
 * A rate that whoever has been idle reaches only by and by: {@code warmup(2/1s, over=3s, cold=3)},
 * for peers with cold caches and empty pools.
 *
 * <p><b>Promise.</b> In any interval W at most {@code largest cost + (W + slack) / T} is released,
 * where T = interval / permits; less while it is cold. Costs are paid later: a request of any cost
 * goes at once, and whoever comes next waits for as long as that cost takes.
 *
 * <p><b>Formula.</b> Cold, a permit takes {@code cold} times T; warm, T. In between it falls in a
 * straight line with what has been released, and a request takes the integral: to split it changes
 * nothing. From cold, at full speed, it is warm after {@code over}. It takes half of that, released
 * at T, before idleness begins to show; idle for {@code over}, it is quite cold again. A limiter is
 * cold at first, and warm if it takes over from a limit that knows nothing of the past.
 *
 * <p><b>Not promised.</b> A ceiling: one request of a wrong cost makes the next one wait for as
 * long as that takes. Nor shares: whoever has to pay for others must wait.
 *
 * <p><b>Idle</b> is only the time in which nobody waits: neither does lateness cool, nor a refused
 * request, nor a gap (shorter than {@code over}) of no longer than the last request took to pay. So
 * a limiter that is asked at a little less than its rate does warm up. With {@code over=0s} there
 * is no warm-up.
 *
 * <p><b>Source.</b> The warming up {@code RateLimiter} of Guava.
 *
 * @param rate the rate when warm
 * @param overNanos how long it takes to warm up, in nanoseconds
 * @param cold how many times as long a permit takes when cold, from 1 to {@value #COLDEST}
 * @param slackNanos how much lateness of a release the next one makes good, in nanoseconds
 * @param of what it counts
 */
@CheckReturnValue
public record Warmup(Rate rate, long overNanos, long cold, long slackNanos, Measure of)
    implements Limit {

  /** How many times as long a permit takes when cold, unless stated. */
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

  /** Returns this warm-up making good up to {@code lateness} of a late release. */
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

  /** A bucket of one permit, whose costs above that are paid later instead of before. */
  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Refilled(1, rate, slackNanos, of, false));
  }

  /** Returns for example {@code warmup(2/1s, over=3s)}. */
  @Override
  public String toString() {
    var text = new StringBuilder("warmup(").append(rate);
    text.append(", over=").append(Durations.format(overNanos));
    if (cold != USUAL_COLD) {
      text.append(", cold=").append(cold);
    }
    if (slackNanos != 0) {
      text.append(", slack=").append(Durations.format(slackNanos));
    }
    if (of.name() != null) {
      text.append(", of=").append(of.name());
    }
    return text.append(')').toString();
  }
}
