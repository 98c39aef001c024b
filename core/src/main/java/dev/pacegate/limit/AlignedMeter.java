package dev.pacegate.limit;

import static dev.pacegate.limit.CalendarWindows.near;
import static dev.pacegate.limit.Nanos.add;
import static dev.pacegate.limit.Nanos.earlier;
import static dev.pacegate.limit.Nanos.later;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;

/** The state of an {@link Aligned}: the charges to the windows that now is in or near. */
/*
 * There are three clocks. Permits, and what is lost, are stamped by the limiter's, in nanoseconds
 * from any origin (now). The time of day here (wall) is read anew whenever it matters. Windows are
 * by the time of day at the peer, which is between wall + clock.least and wall + clock.most: the
 * earliest and the latest that it may be there.
 *
 * A window is entered when the latest reaches its beginning, and left when the earliest reaches its
 * end; the ones in between are in `windows`. None comes back: if time does, it is waited for.
 */
final class AlignedMeter extends CappedMeter {

  /** How long a computed wait until a time of day is valid. */
  private static final long RELIES = 60_000_000_000L;

  /** A window that has been entered, and its charges. */
  private static final class Charged {
    final long begin;
    final long end;
    final long after; // by the limiter's clock: by then all was over that was not charged to it
    long amount;

    Charged(long begin, long end, long after, long amount) {
      this.begin = begin;
      this.end = end;
      this.after = after;
      this.amount = amount;
    }

    Charged copy() {
      return new Charged(begin, end, after, amount);
    }
  }

  private final Aligned limit;
  private final CalendarWindows calendar;
  private final InstantSource timeOfDay;
  private PeerClockEstimate clock;
  private final ArrayDeque<Charged> windows = new ArrayDeque<>(); // in order, without a gap
  private TimestampRuns lost; // what is lost, by when it ends
  private long open;
  private long wall; // the time of day when last read
  private long readAt; // by the limiter's clock
  private long last; // the last end of a request; an open one counts as of now
  private long total; // of all that was released: saturating

  AlignedMeter(Aligned limit, InstantSource timeOfDay) {
    super(limit.of(), limit.max());
    this.limit = limit;
    this.calendar = limit.windows();
    this.timeOfDay = timeOfDay;
    long usual = calendar.length().usual();
    this.clock = new PeerClockEstimate(limit.marginNanos(), Math.min(usual, RELIES));
    this.lost = new TimestampRuns(max, usual, limit.unansweredNanos());
  }

  // ---- the clocks

  /** Reads the time of day, and moves on to the windows that may be the peer's now. */
  private void readClock(long now) {
    long read = near(CalendarWindows.nanos(timeOfDay.instant()));
    boolean first = windows.isEmpty();
    if (!first) {
      long passed = Nanos.since(readAt, now);
      if (PeerClockEstimate.isSet(read - wall, passed)) {
        clock.forget();
      }
    }
    wall = read;
    readAt = now;
    if (first || windows.getLast().end <= earliest()) { // those in between have come and gone
      enter(calendar.begin(earliest()), first);
    }
    while (windows.getLast().end <= latest()) {
      enter(windows.getLast().end, first);
    }
    while (windows.getFirst().end <= earliest()) {
      windows.removeFirst();
    }
  }

  private long earliest() {
    return near(wall + clock.least(readAt));
  }

  private long latest() {
    return near(wall + clock.most(readAt));
  }

  private void enter(long begin, boolean fresh) {
    long enteredAt = readAt - (latest() - begin);
    long amount = fresh ? 0 : add(open, lost.known() - lost.unitsUntil(enteredAt - 1));
    long after = fresh ? enteredAt : later(enteredAt, last); // later if time has jumped
    windows.add(new Charged(begin, calendar.end(begin), after, amount));
  }

  // ---- asking

  @Override
  long untilFits(long amount, long now) {
    readClock(now);
    return untilFitsBeside(open, amount);
  }

  /** Returns the wait until {@code amount} fits if {@code staysOpen} is open until then. */
  private long untilFitsBeside(long staysOpen, long amount) {
    long goesAt = windows.getFirst().begin; // or when the time of day is again what it was
    for (Charged window : windows) {
      if (add(window.amount, amount) > max) {
        goesAt = window.end;
      }
    }
    long end = windows.getLast().end;
    if (goesAt == end) { // otherwise the last window has room, and so has what comes after it
      if (add(staysOpen, amount) > max) {
        return AT_EVENT;
      }
      long clear = clearOfLost(max - amount - staysOpen);
      goesAt = clear < end ? end : calendar.end(clear);
    }
    return waitUntil(goesAt);
  }

  private long waitUntil(long goesAt) {
    if (goesAt <= earliest()) {
      return 0;
    }
    long wait = goesAt - earliest();
    return wait < 0 ? LONGEST : Nanos.capped(wait);
  }

  /** Returns the instant from which no window is overlapped by more than {@code allowed} lost. */
  private long clearOfLost(long allowed) {
    long unit = lost.total() - allowed;
    return allowed < lost.known() && lost.knows(unit)
        ? near(latest() + (lost.stampOf(unit) - readAt))
        : Long.MIN_VALUE;
  }

  /** Everything released until a window ends is charged to it. */
  @Override
  long atLeast(long since, long now, long all, long amount) {
    readClock(now);
    long goesAt = windows.getFirst().begin;
    for (Charged window : windows) {
      if (all > room(window)) {
        goesAt = window.end;
      }
    }
    long later = all - room(windows.getLast());
    if (later > 0) {
      goesAt = calendar.end(windows.getLast().begin, (later - 1) / max);
    }
    long alone = amount == 0 ? 0 : untilFitsBeside(0, amount);
    return Math.max(alone, waitUntil(goesAt));
  }

  private long room(Charged window) {
    return Math.max(0, max - window.amount);
  }

  // ---- recording

  @Override
  public void release(long since, long now, Cost cost) {
    readClock(now);
    long amount = amount(cost);
    open = add(open, amount);
    total = add(total, amount);
    charge(amount);
    windows.forEach(window -> most = Math.max(most, window.amount));
  }

  /** Changes the charges of all windows that an open request overlaps now. */
  private void charge(long amount) {
    for (Charged window : windows) {
      window.amount = amount < 0 ? Math.max(0, window.amount + amount) : add(window.amount, amount);
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    readClock(now);
    long amount = amount(cost);
    if (end == Outcome.LOST) {
      lost.add(now, startedAt + limit.unansweredNanos(), amount);
    } else if (end == Outcome.NOT_SENT) {
      charge(-amount);
    }
    open = Math.max(0, open - amount);
    last = now;
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    readClock(now);
    long more = amount(actual) - amount(charged);
    charge(more);
    open = Math.max(0, open + more);
  }

  @Override
  public void dated(long startedAt, long now, Instant date) {
    readClock(now);
    long started = wall - Nanos.since(startedAt, now);
    clock.learn(now, started, wall, CalendarWindows.nanos(date));
  }

  @Override
  public long restsIn(long now) {
    readClock(now);
    if (open > 0) {
      return AT_EVENT;
    }
    long rests = Long.MIN_VALUE;
    for (Charged window : windows) {
      rests = window.amount > 0 ? window.end : rests;
    }
    long clear = clearOfLost(0);
    return waitUntil(clear < windows.getLast().end ? rests : calendar.end(clear));
  }

  @Override
  public boolean tracks() {
    return true;
  }

  @Override
  public long askAgainAfter() {
    return RELIES;
  }

  // ---- taking over

  /** Same windows and charges, even those that the time of day has stepped back behind. */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    for (Meter meter : old) {
      if (meter instanceof AlignedMeter aligned && aligned.isLike(limit)) {
        goOnFrom(aligned, now);
        return true;
      }
    }
    return false;
  }

  /** Returns whether {@code next} charges the same windows for the same instants. */
  private boolean isLike(Aligned next) {
    return measure.equals(next.of())
        && calendar.equals(next.windows())
        && limit.marginNanos() == next.marginNanos();
  }

  private void goOnFrom(AlignedMeter old, long now) {
    old.readClock(now);
    clock = old.clock;
    wall = old.wall;
    readAt = old.readAt;
    last = now;
    windows.clear();
    old.windows.forEach(window -> windows.add(window.copy()));
    lost = new TimestampRuns(max, calendar.length().usual(), limit.unansweredNanos());
    old.lost.tellLater(now, (endsAt, amount) -> lost.add(now, endsAt, amount));
    total = old.total;
    most = 0;
    windows.forEach(window -> most = Math.max(most, window.amount));
  }

  /** Nothing to do: an open permit has been charged to all windows that it overlaps so far. */
  @Override
  public void adopt(long startedAt, Cost cost) {
    open = add(open, amount(cost));
  }

  /** Reports charges to the present windows as of the last end, and all others before it. */
  @Override
  public boolean recall(long now, Past past) {
    long known = 0;
    for (Charged window : windows) {
      known = add(known, window.amount);
    }
    long ended = Math.max(0, known - open);
    past.supposed(earlier(lastEnd(), now), ended);
    lost.tellLater(now, (end, amount) -> past.lost(end - limit.unansweredNanos(), amount));
    if (!windows.isEmpty()) {
      long before = earlier(windows.getFirst().after, now);
      long rest = Math.max(0, total - known);
      SteadyPace.tell(past, before, rest, max, calendar.length().shortest());
    }
    return true;
  }

  /** Returns the last end, or the last instant at which a lost request may be counted. */
  private long lastEnd() {
    return open > 0 ? readAt : lost.known() == 0 ? last : later(last, lost.stampOf(lost.total()));
  }

  /** Returns the charges of the present window. */
  @Override
  public Losses losses(long now, Cost cost) {
    readClock(now);
    long enteredAt = readAt - (latest() - windows.getFirst().begin);
    long units = lost.known() - lost.unitsUntil(enteredAt - 1);
    return new Losses(Math.min(units, max), max);
  }
}
