package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;
import org.jspecify.annotations.Nullable;

/**
 * The release timestamps of a window too large for one timestamp per unit: runs of units that share
 * one.
 *
 * <p>Units released at one instant are one run, whatever they cost. That is exact while there are
 * at most {@value #EXACT} runs in an interval. Beyond, units released within a thousandth of the
 * interval share a run with the latest timestamp: never too early, so never over the limit; and
 * late by less than a thousandth, so at least 99.9 % is delivered, whatever the requests cost.
 *
 * <p>Memory: 16 bytes for each run, at most {@value #MOST_RUNS} runs, few at first.
 */
/*
 * The run that units may still join is kept in fields; those before it are in a ring of two columns:
 * the instant and the number of the last unit. So a unit mostly joins without touching an array.
 *
 * What is an interval old is forgotten whenever a run begins. So the unit that holds up a request
 * of cost 1 is in the first run of the ring, or forgotten.
 *
 * Why 2048 runs are enough: let E be the last run that began with fewer than EXACT others. At most
 * EXACT runs are as old as E. All later ones are `grain` apart and, like everything in the ring,
 * reach into one interval: there are at most interval / grain + 2 of them, which is less than 1023.
 *
 * Why late by g, at most, is 99.9 %: request k goes when request j(k) is an interval old, and j(k)
 * follows from the costs alone. So no request goes later than in an exact window of I + g.
 */
final class RecentRuns implements Releases {

  static final int MOST_RUNS = 2048;

  static final int EXACT = 1024;

  /** So few that a million windows, most of them hardly used, fit into memory. */
  private static final int FEWEST_RUNS = 4;

  private final long keep;
  private final long span;
  private final long grain;

  // The last run: what is released before `end` joins it.
  private long end;
  private long latest;
  private long total;

  // The runs before it.
  private long[] stamps = new long[FEWEST_RUNS];
  private long[] lasts = new long[FEWEST_RUNS];
  private int head;
  private int size;
  private long closed; // the number of their last unit

  private long forgotten; // the number of the last unit that is no longer remembered
  private long forgottenAt; // its instant
  private @Nullable ForgottenUnits older; // what is forgotten, if no rate bounds it
  private boolean crowded; // some were forgotten before they were an interval old
  private long crowdedUntil; // by when all of those will be

  RecentRuns(Rate rate) {
    this.keep = rate.permits();
    this.span = rate.nanos();
    this.grain = span / (EXACT - 4) + 1;
  }

  @Override
  public long untilAged(long back, long now) {
    long unit = total - back;
    return knows(unit) ? Nanos.until(of(unit), span, now) : 0;
  }

  /** Returns the number of the last unit. */
  long total() {
    return total;
  }

  long latest(long now) {
    return total == forgotten || now - latest >= 0 ? now : latest;
  }

  /** Returns whether there has been a unit of this number, if it matters. */
  boolean knows(long unit) {
    return unit - forgotten > 0;
  }

  /** Returns the timestamp of a remembered unit. */
  long of(long unit) {
    if (unit - closed > 0) {
      return latest;
    }
    boolean first = lasts[head] - unit >= 0; // as it is most often
    return stamps[first ? head : at(Ring.placeOf(lasts, head, size, unit))];
  }

  @Override
  public boolean moreThan(long count, long now) {
    return knows(total - count) && of(total - count) - (now - span) > 0;
  }

  @Override
  public long within(long now) {
    return after(now - span);
  }

  /** Returns how many remembered units came after {@code instant}. */
  long after(long instant) {
    if (latest - instant <= 0) {
      return 0;
    }
    int place = firstAfter(instant);
    return total - (place == 0 ? forgotten : lasts[at(place - 1)]);
  }

  @Override
  public void addOne(long stamp, boolean full) {
    if (full && moreThan(keep - 1, stamp)) {
      keepForgotten();
    }
    if (!joins(stamp)) {
      begin(stamp);
    } else if (stamp - latest > 0) {
      latest = stamp;
    }
    total++;
  }

  @Override
  public void add(long stamp, long units) {
    if (units == 0) {
      return;
    }
    if (units > keep || moreThan(keep - units, stamp)) {
      keepForgotten();
    }
    long numbered = Math.min(units, keep);
    forgetUntil(total + numbered - 2 * keep);
    if (!joins(stamp)) {
      begin(stamp);
    } else if (stamp - latest > 0) {
      latest = stamp;
    }
    total += numbered;
    if (units > numbered) {
      // What came before those that get no number must never take the place of any.
      forgetUntil(total - keep);
      crowd(latest);
      if (older != null) {
        older.add(latest, units - numbered);
      }
    }
  }

  /*
   * From the first run that is not before `stamp`. If the units are in a later one, as the clock had
   * stepped back, the wrong ones go: later ones stay in place of earlier ones, which is safe.
   */
  @Override
  public void remove(long stamp, long units) {
    if (forgotten != 0 && stamp - forgottenAt <= 0) {
      return; // forgotten with the run they were in
    }
    int place = firstAfter(stamp - 1);
    long run = place == size ? latest : stamps[at(place)];
    if (run - stamp < 0 || run - stamp >= grain) {
      return;
    }
    long before = place == 0 ? forgotten : lasts[at(place - 1)];
    long count = (place == size ? total : lasts[at(place)]) - before;
    take(place, Math.min(Math.min(units, count), spare()));
  }

  /** Returns how many units may be removed so that no forgotten unit matters again. */
  private long spare() {
    boolean matter = crowded && crowdedUntil - latest > 0;
    return matter ? Math.max(0, total - forgotten - keep) : Long.MAX_VALUE;
  }

  private void take(int place, long units) {
    for (int i = place; i < size; i++) {
      lasts[at(i)] -= units;
    }
    if (place < size) {
      closed -= units;
    }
    total -= units;
  }

  private void keepForgotten() {
    if (older == null) {
      older = new ForgottenUnits(span, past -> recallForgotten(latest, past));
    }
  }

  @Override
  public void recall(long now, Past past) {
    long unit = total;
    for (int i = size; i >= 0 && unit != forgotten; i--) {
      long before = i == 0 ? forgotten : lasts[at(i - 1)];
      long instant = i == size ? latest : stamps[at(i)];
      past.started(Nanos.earlier(instant, now), unit - before);
      unit = before;
    }
    if (older == null) {
      recallForgotten(now, past);
    } else {
      older.tell((stamp, units) -> past.supposed(Nanos.earlier(stamp, now), units));
    }
  }

  private void recallForgotten(long now, Past past) {
    if (forgotten != 0) {
      long instant = Nanos.earlier(forgottenAt, now);
      long units = forgotten < 0 ? Long.MAX_VALUE : forgotten; // it wraps
      SteadyPace.tell(
          past, instant, units, keep, span, total - forgotten, place -> of(forgotten + place));
    }
  }

  /** Returns the capacity in runs. */
  int slots() {
    return stamps.length;
  }

  private boolean joins(long stamp) {
    return stamp - end < 0 && total != closed;
  }

  /** Begins a run at {@code stamp}, which is later than all before unless those are gone. */
  private void begin(long stamp) {
    if (total != closed) {
      close();
    }
    while (size > 0 && stamp - stamps[head] >= span) {
      forgetHead();
    }
    latest = latest(stamp);
    end = latest + (size < EXACT ? 1 : grain);
  }

  private void close() {
    if (size == stamps.length) {
      grow();
    }
    int run = at(size);
    stamps[run] = latest;
    lasts[run] = total;
    size++;
    closed = total;
  }

  private void grow() {
    stamps = Ring.twiceAsLong(stamps, head);
    lasts = Ring.twiceAsLong(lasts, head);
    head = 0;
  }

  private void forgetHead() {
    if (older != null) {
      older.add(stamps[head], lasts[head] - forgotten);
    }
    forgotten = lasts[head];
    forgottenAt = stamps[head];
    head = (head + 1) & (stamps.length - 1);
    size--;
  }

  /** Drops so many units that they cannot matter, before unit numbers run out. */
  private void forgetUntil(long unit) {
    while (size > 0 && lasts[head] - unit <= 0) {
      forgetHead();
      crowd(forgottenAt);
    }
    if (unit - forgotten > 0) {
      long instant = size > 0 ? stamps[head] : latest;
      if (older != null) {
        older.add(instant, unit - forgotten);
      }
      forgotten = unit; // the rest of that run goes on
      crowd(instant);
    }
  }

  private void crowd(long instant) {
    crowded = true;
    crowdedUntil = instant + span;
  }

  /** Returns the place of the first run after {@code instant}, that of the last run if none is. */
  private int firstAfter(long instant) {
    return Ring.placeOf(stamps, head, size, instant + 1);
  }

  private int at(int place) {
    return (head + place) & (stamps.length - 1);
  }
}
