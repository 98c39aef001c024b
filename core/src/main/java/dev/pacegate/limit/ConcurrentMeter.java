package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Past;
import java.util.TreeMap;

/** The state of a {@link Concurrent}: how much is open, and when that began which is lost. */
final class ConcurrentMeter extends LeafMeter {

  /** How many lost permits are known by starts of their own; then, on a grid as fine as this. */
  private static final int MOST_EXACT = 512;

  private final long max;
  private final long unanswered;
  private final long origin; // of the grid
  private final TreeMap<Long, Long> lost = new TreeMap<>((a, b) -> Long.signum(a - b)); // by start
  private long open;

  ConcurrentMeter(Concurrent limit, long now) {
    super(limit.of());
    this.origin = now;
    this.max = limit.max();
    this.unanswered = limit.unansweredNanos();
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    if (amount > max) {
      return NEVER;
    }
    return amount > max - open ? AT_EVENT : untilOver(now, add(open, amount));
  }

  /** Everything open may end this very moment; what is lost is over when it is. */
  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    return amount > max ? NEVER : untilOver(now, amount);
  }

  /** The wait until so much of the lost is over that there is room for {@code amount}. */
  private long untilOver(long now, long amount) {
    if (lost.isEmpty()) { // as nearly always: nothing is to be allocated then
      return 0;
    }
    long taken = amount;
    for (var one : lost.descendingMap().entrySet()) {
      taken = add(taken, one.getValue());
      if (taken > max) {
        return Nanos.until(one.getKey(), unanswered, now);
      }
    }
    return 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    open = add(open, measure.of(cost));
    most = Math.max(most, add(open, lostBy(now)));
  }

  /** Returns how much of what is lost may yet be at work. */
  private long lostBy(long now) {
    if (lost.isEmpty()) {
      return 0;
    }
    long sum = 0;
    for (long amount : lost.tailMap(now - unanswered, false).values()) {
      sum = add(sum, amount);
    }
    return sum;
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long amount = measure.of(cost);
    open = Math.max(0, open - amount);
    if (end == Outcome.LOST && amount > 0 && startedAt + unanswered - now > 0) {
      lose(startedAt, now, amount);
    }
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    open = Math.max(0, add(open, measure.of(actual)) - measure.of(charged));
    most = Math.max(most, add(open, lostBy(now)));
  }

  /** What is over is not forgotten before there is much of it: the clock may step back. */
  private void lose(long startedAt, long now, long amount) {
    while (lost.size() >= MOST_EXACT && lost.firstKey() + unanswered - now <= 0) {
      lost.pollFirstEntry();
    }
    long grain = unanswered / MOST_EXACT + 1;
    long later = lost.size() < MOST_EXACT ? 0 : Math.floorMod(origin - startedAt, grain);
    lost.merge(startedAt + later, amount, Nanos::add);
  }

  @Override
  public long restsIn(long now) {
    if (open > 0) {
      return AT_EVENT;
    }
    return lost.isEmpty() ? 0 : Nanos.until(lost.lastKey(), unanswered, now);
  }

  @Override
  public boolean tracks() {
    return true;
  }

  @Override
  public boolean recall(long now, Past past) {
    lost.forEach(past::lost);
    return false; // of what is over, whatever it was
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return new Losses(Math.min(lostBy(now), max), max);
  }
}
