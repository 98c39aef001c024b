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

  private final long max;
  private final long interval;
  private final Releases released;

  WindowMeter(Rate rate, Measure measure) {
    super(measure);
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
    return amount > max ? NEVER : released.untilAged(max - amount, now);
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
    long wait = released.untilAged(back, now);
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
    boolean full = most == max;
    released.addOne(now, full);
    if (!full && released.moreThan(most, now)) {
      most++;
    }
  }

  private void charge(long now, long amount) {
    released.add(now, amount);
    if (most < max && released.moreThan(most, now)) {
      most = Math.min(max, released.within(now));
    }
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
    return released.untilAged(0, now);
  }

  @Override
  public boolean recall(long now, Past past) {
    released.recall(now, past);
    past.largest(largestRequest);
    return true;
  }
}
