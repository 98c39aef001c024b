package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;
import static dev.pacegate.limit.Nanos.earlier;
import static dev.pacegate.limit.Nanos.times;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;

/**
 * The state of a {@link Fixed}: the beginning of the current window, and how much of it is used.
 */
/*
 * A timer would restore the allowance at every tick, and stop at a tick that finds no waiter. Without a
 * timer, the next release computes what the ticks in between would have done: if the request was first
 * in the queue at the tick that found everything used up paid for, ticks went on; otherwise that tick was
 * the last.
 *
 * More than M may be used, after a change of limits or a release that was never asked for. Then it uses
 * up the windows that follow: with u used from the beginning a, cost c fits into window number
 * ceil((u + c) / M), counted from 1, which begins (ceil((u + c) / M) - 1) I after a. For u <= M this
 * is the ordinary case.
 */
final class FixedMeter extends CappedMeter {

  private final Rate rate;
  private final long interval;
  private long begin;
  private long used; // from then on; 0 if there has been no window
  private long released; // in the current window
  private long last; // the instant of the last release
  private long total; // saturating

  FixedMeter(Rate rate, Measure measure) {
    super(measure, rate.permits());
    this.rate = rate;
    this.interval = rate.nanos();
  }

  @Override
  long untilFits(long amount, long now) {
    return untilFits(begin, used, amount, now);
  }

  @Override
  long atLeast(long since, long now, long all, long amount) {
    return isOver(now)
        ? untilFits(nextBegin(since, now), 0, all, now)
        : untilFits(begin, used, all, now);
  }

  /** Returns how long until {@code amount} more fits if {@code used} is used from {@code begin}. */
  private long untilFits(long begin, long used, long amount, long now) {
    long windows = windows(add(used, amount)) - 1;
    return windows == 0 ? 0 : Nanos.capped(Nanos.until(begin, times(windows, interval), now));
  }

  /** Returns how many windows {@code amount} takes, 1 at least. */
  private long windows(long amount) {
    return amount <= max ? 1 : (amount - 1) / max + 1;
  }

  /** Returns how many windows have ended between the beginning of the current one and now. */
  private long ended(long now) {
    return Nanos.since(begin, now) / interval;
  }

  /** Returns whether all windows have ended that anything was released in. */
  private boolean isOver(long now) {
    return used == 0 || ended(now) >= windows(used);
  }

  /** Returns when the window begins that a release at {@code now} is in, once all are over. */
  private long nextBegin(long since, long now) {
    if (used == 0) {
      return now;
    }
    long end = begin + windows(used) * interval;
    return since - end <= 0 ? begin + ended(now) * interval : now;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return;
    }
    charge(since, now, amount);
    largestRequest = Math.max(largestRequest, measure.each(cost));
  }

  private void charge(long since, long now, long amount) {
    goOn(since, now);
    last = released > 0 && last - now > 0 ? last : now;
    used = add(used, amount);
    released = add(released, amount);
    total = add(total, amount);
    most = Math.max(most, released);
  }

  /** Moves on to the window that a release at {@code now} is in. */
  private void goOn(long since, long now) {
    if (isOver(now)) {
      beginAnew(nextBegin(since, now), 0);
    } else if (ended(now) > 0) {
      long ended = ended(now);
      beginAnew(begin + ended * interval, used - ended * max);
    }
  }

  private void beginAnew(long next, long stillUsed) {
    begin = next;
    used = stillUsed;
    released = 0;
  }

  /**
   * A shortage is charged to the present window, as that of the release may be over. A surplus is
   * given back to its own window only, and only if that has counted exactly.
   */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = measure.of(actual) - measure.of(charged);
    if (more > 0) {
      charge(now, now, more);
    } else if (used > 0 && used < Long.MAX_VALUE && startedAt - begin >= 0) {
      used = Math.max(1, used + more);
      released = Math.max(0, released + more);
    }
  }

  @Override
  public long restsIn(long now) {
    return used == 0 ? 0 : Nanos.capped(Nanos.until(begin, times(windows(used), interval), now));
  }

  /**
   * Takes over from the same windows, if there were any, or else from those of the same length, or
   * from the longest: the current window keeps its count, and lasts as long as this limit says.
   */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    FixedMeter best = null;
    for (Meter meter : old) {
      if (meter instanceof FixedMeter fixed && fixed.measure.equals(measure)) {
        best = best == null || likeness(fixed) > likeness(best) ? fixed : best;
      }
    }
    if (best != null) {
      begin = best.begin;
      long spent = Math.max(best.used, best.released); // a slower limit in between took it for less
      used = rate.equals(rate.faster(best.rate)) ? spent : Math.min(max, spent);
      released = best.released;
      last = best.last;
      total = best.total;
      most = released;
    }
    return best != null;
  }

  private long likeness(FixedMeter other) {
    if (other.rate.equals(rate)) {
      return Long.MAX_VALUE;
    }
    return other.interval == interval ? Long.MAX_VALUE - 1 : other.interval;
  }

  @Override
  public void forgive(long now) {
    if (used > max) { // what is too much fills a window that begins with the last of it
      begin = now;
      used = max;
    }
  }

  @Override
  public boolean recall(long now, Past past) {
    past.supposed(earlier(last, now), released);
    past.largest(largestRequest);
    SteadyPace.tell(past, earlier(begin, now), total - released, max, interval);
    return true;
  }
}
