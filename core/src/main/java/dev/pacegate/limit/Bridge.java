package dev.pacegate.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A limit that holds for a while after a change, so that no interval across the change holds more
 * than the larger of both promises.
 *
 * <p>A new window of {@code 1/1s} knows nothing of the minute for which an old {@code 10/1m} still
 * answers: by itself it would let 69 into a minute of which neither limit allows more than 60. So
 * it is accompanied by a window of the old length and the larger bound, until the last of what was
 * let through before has been over for one old interval.
 */
final class Bridge implements Meter {

  /** A window, of starts or as the peer counts. */
  interface Side extends Heir {

    /** Returns what it allows, the margin included. */
    Rate window();

    /** Returns the latest instant at which anything counts, {@code now} if there is none later. */
    long latest(long now);
  }

  /** Makes the window that accompanies, and lets it take over what was released. */
  interface Maker {
    Side make(Rate looser, @Nullable Remembering source, long now);
  }

  private final Side side;
  private long begin;
  private long older; // permits that were released by then and are open
  private long until;
  private boolean over; // as was last seen when something was recorded

  private Bridge(Side side, Older older, long now) {
    this.side = side;
    this.begin = older.begin;
    this.until = older.until;
    if (begin == now) {
      extend(side.latest(now));
    }
  }

  /** What is not to be broken: an older window, and what was let through by {@code begin}. */
  private record Older(Rate window, long begin, long until) {

    /** Of two windows of one length the smaller counts, for as long as either does. */
    Older and(Older other) {
      Rate smaller = window.permits() <= other.window.permits() ? window : other.window;
      return begin - other.begin >= 0
          ? new Older(smaller, begin, until)
          : new Older(smaller, other.begin, other.until);
    }
  }

  /** Returns {@code main}, accompanied as long as the longer windows of {@code old} require. */
  static Meter over(Side main, long now, Meter old, Maker maker) {
    var members = new ArrayList<Meter>(List.of(main));
    for (Older older : longerWindows(old, now, main)) {
      Remembering source = Past.best(old, main);
      Side side = maker.make(looser(main.window(), older.window), source, now);
      members.add(new Bridge(side, older, now));
    }
    List<Meter> needed = needed(members);
    return needed.size() == 1 ? main : new AllMeter(needed);
  }

  /**
   * Returns {@code meters} without the bridges of which another window sees to it that they never
   * hold anybody up: one at least as long that allows at most as much. A bridge then lasts as long
   * as those it stands for; in the long run it holds up nobody that its own limit lets through.
   */
  static List<Meter> needed(List<Meter> meters) {
    var needed = new ArrayList<>(meters);
    for (Meter meter : meters) {
      if (meter instanceof Bridge bridge) {
        for (Meter other : needed) {
          if (other != bridge && covers(other, bridge)) {
            needed.remove(bridge);
            break;
          }
        }
      }
    }
    return needed;
  }

  private static boolean covers(Meter meter, Bridge bridge) {
    Meter window = meter instanceof Bridge other ? other.side : meter;
    boolean covers =
        window instanceof Side side
            && side.getClass().equals(bridge.side.getClass())
            && side.measure().equals(bridge.side.measure())
            && side.window().nanos() >= bridge.side.window().nanos()
            && side.window().permits() <= bridge.side.window().permits();
    if (covers && meter instanceof Bridge other) {
      other.begin = bridge.begin - other.begin > 0 ? bridge.begin : other.begin;
      other.until = bridge.until - other.until > 0 ? bridge.until : other.until;
    }
    return covers;
  }

  private static Collection<Older> longerWindows(Meter old, long now, Side main) {
    var longer = new TreeMap<Long, Older>();
    for (Meter leaf : old.leaves()) {
      Older older = older(leaf, now, main.measure());
      if (older != null && older.window.nanos() > main.window().nanos()) {
        longer.merge(older.window.nanos(), older, Older::and);
      }
    }
    return longer.values();
  }

  private static @Nullable Older older(Meter leaf, long now, Measure measure) {
    if (leaf instanceof Bridge bridge && bridge.side.measure().equals(measure)) {
      Rate window = bridge.side.window();
      return bridge.isOver(now) ? null : new Older(window, bridge.begin, bridge.until);
    }
    if (leaf instanceof Side side && side.measure().equals(measure)) {
      return new Older(side.window(), now, now + side.window().nanos());
    }
    return null;
  }

  /** Returns the larger of what the old window and the new rate allow in an old interval. */
  private static Rate looser(Rate rate, Rate old) {
    long rounds = (old.nanos() - 1) / rate.nanos() + 1;
    long permits = Math.max(old.permits(), Nanos.times(rounds, rate.permits()));
    return new Rate(Math.min(permits, old.nanos()), old.nanos());
  }

  /** Returns what remembers. */
  Remembering memory() {
    return side;
  }

  private boolean isOver(long now) {
    return over || (older == 0 && now - until >= 0);
  }

  /** Something older has ended, or will: it counts for one more interval. */
  private void extend(long ended) {
    long end = ended + side.window().nanos();
    if (end - until > 0) {
      until = end;
    }
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    if (isOver(now)) {
      return 0;
    }
    long wait = side.nanosUntil(since, now, cost);
    // No wait lasts longer than the bridge, not even one that no time would end.
    return older > 0 ? wait : Math.min(wait, until - now);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    if (isOver(now)) {
      return 0;
    }
    long soonest = Nanos.since(now, until);
    long over = older > 0 ? Math.max(soonest, side.window().nanos()) : soonest;
    return Math.min(side.atLeast(since, now, ahead, cost), over);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    over = isOver(now);
    if (over) {
      return;
    }
    side.release(since, now, cost);
    if (side.tracks() && isOlder(now)) {
      older++;
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    over = isOver(now);
    if (over) {
      return;
    }
    side.end(startedAt, now, cost, end);
    if (side.tracks() && isOlder(startedAt)) {
      older--;
      extend(end == Outcome.LOST ? side.latest(now) : now);
    }
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    if (!isOver(now)) {
      side.settle(startedAt, now, charged, actual);
    }
  }

  private boolean isOlder(long startedAt) {
    return startedAt - begin <= 0;
  }

  /** None once it is over: nobody is to take over from it. */
  @Override
  public List<Meter> leaves() {
    return over ? List.of() : List.of(this);
  }

  @Override
  public long restsIn(long now) {
    return isOver(now) ? 0 : side.restsIn(now); // once it is over it is told of no more ends
  }

  @Override
  public boolean tracks() {
    return side.tracks();
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    side.adopt(startedAt, cost);
    if (side.tracks() && isOlder(startedAt)) {
      older++;
    }
  }
}
