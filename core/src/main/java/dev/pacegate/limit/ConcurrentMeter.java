package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** The state of a {@link Concurrent}: how many are open, and when those began that are lost. */
final class ConcurrentMeter implements Meter {

  /** How many lost permits are known by starts of their own; then, on a grid as fine as this. */
  private static final int MOST_EXACT = 512;

  private final long max;
  private final long unanswered;
  private final long origin; // of the grid
  private final TreeMap<Long, Long> lost = new TreeMap<>((a, b) -> Long.signum(a - b)); // by start
  private long open;
  private long most;

  ConcurrentMeter(Concurrent limit, long now) {
    this.origin = now;
    this.max = limit.max();
    this.unanswered = limit.unansweredNanos();
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long calls = cost.calls();
    if (calls > max) {
      return NEVER;
    }
    return calls > max - open ? AT_EVENT : untilOver(now, add(open, calls));
  }

  /** Everything open may end this very moment; what is lost is over when it is. */
  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return cost.calls() > max ? NEVER : untilOver(now, cost.calls());
  }

  /** The wait until so many of the lost are over that there is room for {@code calls}. */
  private long untilOver(long now, long calls) {
    if (lost.isEmpty()) { // as nearly always: nothing is to be allocated then
      return 0;
    }
    long taken = calls;
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
    open += cost.calls();
    most = Math.max(most, add(open, lostBy(now)));
  }

  /** Returns how many that are lost may yet be at work. */
  private long lostBy(long now) {
    if (lost.isEmpty()) {
      return 0;
    }
    long calls = 0;
    for (long some : lost.tailMap(now - unanswered, false).values()) {
      calls = add(calls, some);
    }
    return calls;
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    open -= cost.calls();
    if (end == Outcome.LOST && startedAt + unanswered - now > 0) {
      lose(startedAt, now, cost.calls());
    }
  }

  /** What is over is not forgotten before there is much of it: the clock may step back. */
  private void lose(long startedAt, long now, long calls) {
    while (lost.size() >= MOST_EXACT && lost.firstKey() + unanswered - now <= 0) {
      lost.pollFirstEntry();
    }
    long grain = unanswered / MOST_EXACT + 1;
    long later = lost.size() < MOST_EXACT ? 0 : Math.floorMod(origin - startedAt, grain);
    lost.merge(startedAt + later, calls, Nanos::add);
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
  public Measure measure() {
    return Measure.CALLS;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(most);
  }

  @Override
  public long unanswered() {
    return unanswered;
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return new Losses(Math.min(lostBy(now), max), max);
  }
}
