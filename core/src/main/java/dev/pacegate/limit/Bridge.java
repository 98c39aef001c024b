package dev.pacegate.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit that holds for a while after a change, so that no interval across the change holds more
 * than the larger of both promises.
 *
 * <p>A new window of {@code 1/1s} knows nothing of the minute for which an old {@code 10/1m} still
 * answers: by itself it would let 69 into a minute of which neither limit allows more than 60. So
 * it is accompanied, for one old interval, by a window of the old length and the larger bound.
 */
final class Bridge implements Meter {

  private final Meter meter;
  private final long until;

  private Bridge(Meter meter, long until) {
    this.meter = meter;
    this.until = until;
  }

  /** Makes the window that accompanies, and lets it take over what was released. */
  interface Maker {
    Meter make(Rate looser, @Nullable Remembering source, long now);
  }

  /** Returns {@code main}, accompanied as long as the longer windows of {@code old} require. */
  static Meter over(Meter main, long now, Meter old, Measure measure, Rate rate, Maker maker) {
    var members = new ArrayList<Meter>(List.of(main));
    longerWindows(old, measure, rate.nanos())
        .forEach(
            (nanos, permits) -> {
              Meter meter = maker.make(looser(rate, permits, nanos), Past.best(old, measure), now);
              members.add(new Bridge(meter, now + nanos));
            });
    return members.size() == 1 ? main : new AllMeter(members);
  }

  private static Map<Long, Long> longerWindows(Meter old, Measure measure, long nanos) {
    var longer = new TreeMap<Long, Long>();
    for (Meter leaf : old.leaves()) {
      Rate window = window(leaf, measure);
      if (window != null && window.nanos() > nanos) {
        longer.merge(window.nanos(), window.permits(), Math::min);
      }
    }
    return longer;
  }

  private static @Nullable Rate window(Meter leaf, Measure measure) {
    if (leaf instanceof WindowMeter window && window.measure().equals(measure)) {
      return window.window();
    }
    if (leaf instanceof PeerWindowMeter window && window.measure().equals(measure)) {
      return window.window();
    }
    return null;
  }

  /** Returns the larger of what the old window and the new rate allow in an old interval. */
  private static Rate looser(Rate rate, long oldPermits, long oldNanos) {
    long rounds = (oldNanos - 1) / rate.nanos() + 1;
    long permits = Math.max(oldPermits, Nanos.times(rounds, rate.permits()));
    return new Rate(Math.min(permits, oldNanos), oldNanos);
  }

  private boolean isOver(long now) {
    return now - until >= 0;
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return isOver(now) ? 0 : held(now, meter.nanosUntil(since, now, cost));
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return isOver(now) ? 0 : held(now, meter.atLeast(since, now, ahead, cost));
  }

  /** No wait lasts longer than the bridge, not even one that no time would end. */
  private long held(long now, long wait) {
    return Math.min(wait, until - now);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    meter.release(since, now, cost);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, End end) {
    meter.end(startedAt, now, cost, end);
  }

  @Override
  public boolean tracks() {
    return meter.tracks();
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    meter.adopt(startedAt, cost);
  }

  @Override
  public List<Meter> leaves() {
    return meter.leaves();
  }
}
