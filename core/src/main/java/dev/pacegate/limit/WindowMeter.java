package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;
import static dev.pacegate.limit.Nanos.times;

import dev.pacegate.limit.spi.Past;

/** The state of a {@link Window} or a {@link Spacing}: the release timestamps of the last units. */
/*
 * One more unit may go when the unit that is `max` before it is an interval old. So a request of cost
 * c waits for unit number total + c - max to age; for cost 1 that is the oldest one remembered.
 */
final class WindowMeter extends LeafMeter {

  private final Rate rate;
  private final long max; // the rate's, at hand
  private final long interval;
  private final Releases released;

  WindowMeter(Rate rate, Measure measure) {
    super(measure);
    this.rate = rate;
    this.max = rate.permits();
    this.interval = rate.nanos();
    this.released = Releases.of(rate);
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    return amount > max ? NEVER : released.untilAged(max - amount, interval, now);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = measure.of(cost);
    if (amount > max) {
      return NEVER;
    }
    long behind = add(measure.of(ahead), amount);
    if (behind == 0) {
      return 0;
    }
    // Units that are yet to go out age in turn: one more interval for each full window of them.
    long rounds = (behind - 1) / max;
    long back = max - (behind - rounds * max);
    long wait = released.untilAged(back, interval, now);
    return Nanos.capped(add(wait, times(rounds, interval)));
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 1) {
      chargeOne(now);
    } else {
      charge(now, amount);
      largestRequest = Math.max(largestRequest, measure.each(cost));
    }
  }

  /** The same as {@link #charge} for one unit, in fewer instructions: this is the fast path. */
  private void chargeOne(long now) {
    if (most < max) {
      released.add(now);
      if (released.moreThan(most, now - interval)) {
        most++;
      }
    } else {
      if (released.moreThan(max - 1, now - interval)) {
        released.keepForgotten(rate);
      }
      released.add(now);
    }
  }

  /**
   * Charges units. More than the rate allows come from requests that start late, cost more than
   * they asked for, or went under another limit: from then on, what is forgotten follows from the
   * rate no more.
   */
  private void charge(long now, long amount) {
    boolean fits = amount <= max - most;
    if (!fits && (amount > max || released.moreThan(max - amount, now - interval))) {
      released.keepForgotten(rate);
    }
    released.add(now, amount);
    if (most < max && released.moreThan(most, now - interval)) {
      most = within(now);
    }
  }

  private long within(long now) {
    return Math.min(max, released.after(now - interval));
  }

  /**
   * A decrease is removed where it was; an increase counts from now, which is later than it was.
   */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = measure.of(actual) - measure.of(charged);
    if (more > 0) {
      charge(now, more);
    } else {
      released.remove(startedAt, -more);
    }
  }

  @Override
  public long restsIn(long now) {
    return released.untilAged(0, interval, now);
  }

  @Override
  public boolean recall(long now, Past past) {
    released.recall(now, past, rate);
    past.largest(largestRequest);
    return true;
  }
}
