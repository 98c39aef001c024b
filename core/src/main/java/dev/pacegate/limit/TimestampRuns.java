package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;
import org.jspecify.annotations.Nullable;

/**
 * The timestamps of counted units, in ascending order, stored as runs of units that share one.
 *
 * <p>Units are numbered from 1 in that order; {@link #total} is the number of the last. Only the
 * last {@code keep} units are remembered; no other can matter to a limit of {@code keep} per
 * interval. They are exact while {@code keep} is at most {@value #EXACT}. Beyond, units within a
 * thousandth of the span share a run with the latest timestamp: never too early, so never over a
 * limit; late by less than a thousandth, so at least 99.9 % is delivered. A unit reported ahead of
 * its time may be late by a thousandth of the longest such advance, and delays others by no more
 * than their own thousandth.
 *
 * <p>Memory: 24 bytes for each run, 16 while units are exact, at most {@value #MOST_RUNS} runs, two
 * at first.
 *
 * <p>Unit numbers wrap; they are compared by subtraction, as instants are.
 */
/*
 * A ring of three columns: the instant at which a run began, the one it stands for (its latest), and
 * the number of its last unit. An exact run begins at its only stamp, so one column is both. Appending is O(1), finding a unit O(log runs), O(1) for the oldest.
 * Inserting before later runs (something lost ends in the future) moves those.
 *
 * Why 4096 runs are enough: whenever a run is inserted, the one before it began at least a grain
 * earlier, and the one after it is at least a grain later. So of two neighbours the later one is
 * always at least a grain after the beginning of the earlier, and a stretch that is 1020 grains long
 * has at most 2042. There are two such stretches: one span back, and what lies ahead.
 */
final class TimestampRuns {

  static final int MOST_RUNS = 4096;

  static final int EXACT = 1024;

  /** More units than any limit keeps; a long can still order twice as many. */
  private static final long MOST_UNITS = Spans.MAX;

  private final long keep;
  private final long span;
  private final long grain;
  private final long grainAhead;
  private long[] begins; // the stamps themselves while units are exact
  private long[] stamps;
  private long[] lasts;
  private int head;
  private int size;
  private int aged; // where the last search of unitsAged ended: a hint, which may be any place
  private long total;
  private long forgotten; // the number of the last unit that is no longer remembered
  private boolean hasForgotten;
  private long latestForgotten; // the timestamp of that unit
  private @Nullable ForgottenUnits older; // what is forgotten, if no rate bounds it

  /**
   * @param keep how many units matter
   * @param span how long they matter, in nanoseconds
   * @param ahead how far ahead of its time a unit may be told
   */
  TimestampRuns(long keep, long span, long ahead) {
    this.keep = Math.min(keep, MOST_UNITS);
    this.span = span;
    this.grain = keep <= EXACT ? 0 : grain(span);
    this.grainAhead = keep <= EXACT ? 0 : grain(Math.max(span, ahead));
    int capacity = (int) Math.min(2, this.keep); // most keys have few ends, and there are many keys
    this.stamps = new long[capacity];
    this.begins = keep <= EXACT ? stamps : new long[capacity];
    this.lasts = new long[capacity];
  }

  private TimestampRuns(TimestampRuns other) {
    this.keep = other.keep;
    this.span = other.span;
    this.grain = other.grain;
    this.grainAhead = other.grainAhead;
    this.stamps = other.stamps.clone();
    this.begins = other.isExact() ? stamps : other.begins.clone();
    this.lasts = other.lasts.clone();
    this.head = other.head;
    this.size = other.size;
    this.total = other.total;
    this.forgotten = other.forgotten;
    this.hasForgotten = other.hasForgotten;
    this.latestForgotten = other.latestForgotten;
    this.older = other.older;
  }

  private boolean isExact() {
    return begins == stamps;
  }

  /** A thousandth, and a little less, for the rounding. */
  private static long grain(long stretch) {
    return stretch / (EXACT - 4) + 1;
  }

  /** Returns the number of the last unit. */
  long total() {
    return total;
  }

  /** Returns whether {@code unit} is remembered; forgotten units do not matter. */
  boolean knows(long unit) {
    return unit - forgotten > 0;
  }

  /** Returns whether every unit that came after {@code instant} is remembered. */
  boolean knowsAllSince(long instant) {
    return !hasForgotten || latestForgotten - instant <= 0;
  }

  /** Returns the timestamp of a remembered unit. */
  long stampOf(long unit) {
    return stamps[at(indexOf(unit))];
  }

  /** Returns how many remembered units came at {@code instant} or before. */
  long unitsUntil(long instant) {
    int place = Ring.placeOf(stamps, head, size, instant + 1);
    return place == 0 ? 0 : lasts[at(place - 1)] - forgotten;
  }

  /**
   * As {@link #unitsUntil}, for instants that mostly ascend from call to call: the search begins
   * where the last one ended, so it takes O(1) each, amortized.
   */
  long unitsAged(long instant) {
    int place = Math.min(aged, size);
    while (place < size && stamps[at(place)] - instant <= 0) {
      place++;
    }
    while (place > 0 && stamps[at(place - 1)] - instant > 0) {
      place--;
    }
    aged = place;
    return place == 0 ? 0 : lasts[at(place - 1)] - forgotten;
  }

  /** Adds {@code units} at {@code stamp}, which may be before or after {@code now}. */
  void add(long now, long stamp, long units) {
    if (units == 0) {
      return;
    }
    append(now, stamp, Math.min(units, MOST_UNITS));
    forgetUntil(total - keep);
    if (total - forgotten > MOST_UNITS) {
      forgotten = total - MOST_UNITS;
    }
  }

  /**
   * Moves up to {@code units} from {@code stamp} to {@code to}, which is earlier: if a forgotten
   * unit then matters in place of one of them, only back to that.
   */
  void moveBack(long now, long stamp, long to, long units) {
    long moved = take(stamp, units);
    boolean mayMatter = hasForgotten && latestForgotten - to > 0;
    add(now, mayMatter ? latestForgotten : to, moved);
  }

  /**
   * Moves {@code units} from {@code stamp} to {@code to}, which is later. Units that are forgotten
   * are added there.
   */
  void moveOn(long now, long stamp, long to, long units) {
    if (size == stamps.length && size < MOST_RUNS) {
      grow(); // nothing may fail once they are removed
    }
    take(stamp, units);
    add(now, to, units);
  }

  /**
   * Removes up to {@code units} that are at {@code stamp} or later, the earliest first: if others
   * share their place, what stays is no earlier than it should be. Forgotten units stay forgotten.
   *
   * @return how many it has removed
   */
  long take(long stamp, long units) {
    if (hasForgotten && stamp - latestForgotten <= 0) {
      return 0;
    }
    int place = placeFor(stamp - 1);
    long taken = 0;
    while (place < size && taken < units) {
      long here = unitsAt(place);
      long part = Math.min(here, units - taken);
      taken += part;
      for (int i = place; i < size; i++) {
        lasts[at(i)] -= part;
      }
      if (part == here) {
        close(place);
      }
    }
    total -= taken;
    return taken;
  }

  private long unitsAt(int place) {
    return lasts[at(place)] - (place == 0 ? forgotten : lasts[at(place - 1)]);
  }

  private void close(int place) {
    for (int i = place + 1; i < size; i++) {
      copy(at(i), at(i - 1));
    }
    size--;
  }

  /** Returns these units without those of {@code some}, which are among them. */
  TimestampRuns without(TimestampRuns some) {
    var rest = new TimestampRuns(this);
    for (int i = 0; i < some.size; i++) {
      rest.take(some.stamps[some.at(i)], some.unitsAt(i));
    }
    return rest;
  }

  private void append(long now, long stamp, long units) {
    int place = placeFor(stamp);
    if (joins(place - 1, now, stamp)) {
      place--;
      stamps[at(place)] = stamp;
    } else if (waitsFor(place, now, stamp)) {
      int run = at(place);
      begins[run] = Nanos.earlier(begins[run], stamp); // so that no unit in it is delayed further
    } else if (size < stamps.length || makeRoom(now, stamp, units)) {
      place = placeFor(stamp);
      open(place, stamp);
    } else {
      place = Math.max(place - 1, 0);
      stamps[at(place)] = Nanos.later(stamps[at(place)], stamp);
    }
    for (int i = place; i < size; i++) {
      lasts[at(i)] += units;
    }
    total += units;
  }

  /**
   * Reports the remembered units. Those after {@code now} are of lost requests, and end {@code
   * unanswered} after their starts.
   */
  void recall(long now, Past past, long unanswered) {
    for (int i = size - 1; i >= 0; i--) {
      recall(stamps[at(i)], unitsAt(i), now, past::ended, past, unanswered);
    }
  }

  /** Reports the units before those, which may be what {@code rate} let through. */
  void recallForgotten(long now, Past past, long unanswered, Rate rate) {
    if (older == null) {
      recallForgotten(now, past, rate);
    } else {
      older.tell((stamp, units) -> recall(stamp, units, now, past::supposed, past, unanswered));
    }
  }

  private static void recall(
      long stamp, long units, long now, RunSink over, Past past, long unanswered) {
    if (stamp - now > 0) {
      past.lost(stamp - unanswered, units);
    } else {
      over.run(stamp, units);
    }
  }

  private void recallForgotten(long now, Past past, Rate rate) {
    if (hasForgotten) {
      long instant = Nanos.earlier(latestForgotten, now);
      long units = forgotten < 0 ? Long.MAX_VALUE : forgotten; // it wraps
      SteadyPace.tell(
          past,
          instant,
          units,
          rate.permits(),
          rate.nanos(),
          known(),
          place -> stampOf(forgotten + place));
    }
  }

  /**
   * Keeps what it forgets from now on, as units were charged that {@code rate} does not allow: what
   * is forgotten follows from it no more.
   */
  void keepForgotten(long now, Rate rate) {
    if (older == null) {
      older = new ForgottenUnits(rate.nanos(), past -> recallForgotten(now, past, rate));
    }
  }

  /** Receives runs. */
  @FunctionalInterface
  interface RunSink {
    void run(long stamp, long units);
  }

  /** Reports the runs after {@code instant}. */
  void tellLater(long instant, RunSink sink) {
    for (int i = 0; i < size; i++) {
      if (stamps[at(i)] - instant > 0) {
        sink.run(stamps[at(i)], unitsAt(i));
      }
    }
  }

  /** Returns the number of remembered units. */
  long known() {
    return total - forgotten;
  }

  /** Returns the capacity in runs. */
  int slots() {
    return stamps.length;
  }

  /** Returns whether {@code stamp} is near enough to the run at {@code place}, before it. */
  private boolean joins(int place, long now, long stamp) {
    if (place < 0) {
      return false;
    }
    int run = at(place);
    return stamps[run] == stamp || stamp - begins[run] < grain(begins[run], now);
  }

  /** Returns whether {@code stamp} is near enough to the run at {@code place}, behind it. */
  private boolean waitsFor(int place, long now, long stamp) {
    return place < size && stamps[at(place)] - stamp < grain(stamp, now);
  }

  private long grain(long instant, long now) {
    return instant - now > 0 ? grainAhead : grain;
  }

  /** Returns the place behind every run whose instant is not after {@code stamp}. */
  private int placeFor(long stamp) {
    int place = size;
    while (place > 0 && stamps[at(place - 1)] - stamp > 0) {
      place--;
    }
    return place;
  }

  private void open(int place, long stamp) {
    for (int i = size; i > place; i--) {
      copy(at(i - 1), at(i));
    }
    size++;
    int run = at(place);
    begins[run] = stamp;
    stamps[run] = stamp;
    lasts[run] = place == 0 ? forgotten : lasts[at(place - 1)];
  }

  private void copy(int from, int to) {
    begins[to] = begins[from];
    stamps[to] = stamps[from];
    lasts[to] = lasts[from];
  }

  /** Makes room for one more run, in the cheapest way; false if the ring must stay full. */
  private boolean makeRoom(long now, long stamp, long units) {
    while (size > 0 && stamps[head] - stamp <= 0 && lasts[head] - (total + units - keep) <= 0) {
      forgetHead();
    }
    while (size == stamps.length && stamps.length >= EXACT && now - stamps[head] >= span) {
      forgetHead();
    }
    if (size == stamps.length && stamps.length < MOST_RUNS) {
      grow();
    }
    return size < stamps.length;
  }

  private void grow() {
    long[] newStamps = Ring.twiceAsLong(stamps, head);
    long[] newBegins = isExact() ? newStamps : Ring.twiceAsLong(begins, head);
    long[] newLasts = Ring.twiceAsLong(lasts, head);
    begins = newBegins; // only now, when there was memory for all
    stamps = newStamps;
    lasts = newLasts;
    head = 0;
  }

  private void forgetUntil(long unit) {
    while (size > 0 && lasts[head] - unit <= 0) {
      forgetHead();
    }
  }

  private void forgetHead() {
    if (older != null) {
      older.add(stamps[head], lasts[head] - forgotten);
    }
    forgotten = lasts[head];
    latestForgotten = hasForgotten ? Nanos.later(latestForgotten, stamps[head]) : stamps[head];
    hasForgotten = true;
    head = (head + 1) & (stamps.length - 1);
    size--;
    aged = Math.max(0, aged - 1);
  }

  private int indexOf(long unit) {
    return lasts[head] - unit >= 0 ? 0 : Ring.placeOf(lasts, head, size, unit);
  }

  private int at(int place) {
    return (head + place) & (stamps.length - 1);
  }
}
