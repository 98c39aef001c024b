package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A ring of the release timestamps of the last units, for windows of up to {@value #MOST_UNITS}
 * units.
 *
 * <p>Units are numbered in the order of their release; numbers wrap and are compared by
 * subtraction. Only the last {@code keep} units are remembered, each exactly; no other unit can
 * matter to a limit of {@code keep} per interval. Once units have been removed, it remembers twice
 * as many, so that removals leave enough.
 */
/*
 * Each unit has a slot in the ring. So finding a unit and adding one take a few instructions, whatever
 * the limit.
 */
final class TimestampRing implements Releases {

  static final int MOST_UNITS = 2048;

  /** So few that a million windows, most of them hardly used, fit into memory. */
  private static final int FEWEST_SLOTS = 4;

  private final int keep;
  private final long span;
  private int remembered; // units; twice as many as needed once units have been removed
  private int enough; // slots for all remembered units
  private long[] slots;
  private long unprepared; // the next unit that needs a new slot, or to have another one forgotten
  private long latest; // the instant of the last unit
  private long total;
  private long start; // the units up to this one are not remembered
  private long older; // how many there were before unit `start` + 1
  private @Nullable ForgottenUnits forgotten; // those, if no rate bounds them

  /**
   * @param rate of at most {@value #MOST_UNITS} permits
   */
  TimestampRing(Rate rate) {
    this.keep = (int) rate.permits();
    this.span = rate.nanos();
    this.remembered = keep;
    this.enough = Integer.highestOneBit(2 * keep - 1);
    this.slots = new long[Math.min(FEWEST_SLOTS, enough)];
    this.unprepared = firstUnprepared();
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

  private long latest(long now) {
    return now - latest >= 0 || total == start ? now : latest;
  }

  /** Returns whether there has been a unit of this number, if it matters. */
  boolean knows(long unit) {
    return unit - start > 0;
  }

  /** Returns the timestamp of a remembered unit. */
  long of(long unit) {
    return slots[slot(unit)];
  }

  @Override
  public boolean moreThan(long count, long now) {
    return moreAfter(now - span, count);
  }

  private boolean moreAfter(long instant, long count) {
    return knows(total - count) && of(total - count) - instant > 0;
  }

  @Override
  public long within(long now) {
    return after(now - span);
  }

  /** Returns how many remembered units came after {@code instant}. */
  long after(long instant) {
    long low = 0;
    long high = known();
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (moreAfter(instant, middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public void addOne(long stamp, boolean full) {
    if (full && moreThan(keep - 1, stamp)) {
      keepForgotten();
    }
    latest = latest(stamp);
    long unit = total + 1;
    if (unit == unprepared) {
      prepare(unit);
    }
    slots[slot(unit)] = latest;
    total = unit;
  }

  private void prepare(long unit) {
    makeRoom(unit);
    if (forgotten != null) {
      forgetUntil(unit - remembered); // while they have a slot
      unprepared = unit + 1;
    }
  }

  @Override
  public void add(long stamp, long units) {
    if (units == 0) {
      return;
    }
    long numbered = Math.min(units, keep);
    long last = total + numbered;
    if (units > keep || moreThan(keep - units, stamp)) {
      keepForgotten();
    }
    latest = latest(stamp);
    prepare(last);
    int slot = slot(last);
    slots[slot] = latest;
    for (int other = slot(total + 1); other != slot; other = (other + 1) & (slots.length - 1)) {
      slots[other] = latest;
    }
    total = last;
    // What came before those that get no number must never take the place of any.
    forget(units > numbered ? keep : remembered, units - numbered);
  }

  @Override
  public void remove(long stamp, long units) {
    rememberMore();
    forget(remembered, 0);
    long last = total - after(stamp);
    long count = last - (total - after(stamp - 1));
    long spare = older == 0 ? count : total - start - keep;
    long removed = Math.min(Math.min(units, count), spare);
    if (removed <= 0) {
      return;
    }
    total -= removed;
    for (long unit = last - count + 1; unit - total <= 0; unit++) {
      slots[slot(unit)] = of(unit + removed); // those behind move up
    }
  }

  /** Doubles the memory when units are removed for the first time, as more removals will follow. */
  private void rememberMore() {
    if (remembered != keep) {
      return;
    }
    remembered = 2 * keep;
    if (slots.length == enough) {
      long[] narrow = slots;
      forget(narrow.length, 0); // the ring has none but these
      slots = new long[2 * narrow.length];
      Arrays.fill(slots, latest); // what is older than all that there is counts as of now
      for (int i = 0; i < narrow.length; i++) {
        long unit = total - i;
        slots[slot(unit)] = narrow[(int) unit & (narrow.length - 1)];
      }
    }
    enough *= 2;
    unprepared = firstUnprepared();
  }

  private void keepForgotten() {
    if (forgotten == null) {
      forget(remembered, 0);
      forgotten = new ForgottenUnits(span, past -> recallForgotten(latest, past));
      unprepared = firstUnprepared();
    }
  }

  @Override
  public void recall(long now, Past past) {
    long first = total - known() + 1;
    for (long unit = total; unit - first >= 0; unit--) {
      past.started(Nanos.earlier(of(unit), now), 1);
    }
    if (forgotten == null) {
      recallForgotten(now, past);
    } else {
      forgotten.tell((stamp, units) -> past.supposed(Nanos.earlier(stamp, now), units));
    }
  }

  private void recallForgotten(long now, Past past) {
    long known = known();
    long last = total - known;
    long instant = known == 0 ? now : Nanos.earlier(of(last + 1), now);
    long units = Nanos.add(older, last - start);
    SteadyPace.tell(past, instant, units, keep, span, known, place -> of(last + place));
  }

  private long known() {
    return Math.min(remembered, total - start);
  }

  /**
   * Drops all but the last {@code kept}, which keeps `start` within reach of wrapping numbers, and
   * counts units that get no number.
   */
  private void forget(long kept, long unnumbered) {
    forgetUntil(total - kept);
    older = Nanos.add(older, unnumbered);
    if (forgotten != null) {
      forgotten.add(latest, unnumbered);
    }
  }

  private void forgetUntil(long unit) {
    long surplus = Math.max(0, unit - start);
    if (forgotten != null) {
      for (long i = 1; i <= surplus; i++) {
        forgotten.add(of(start + i), 1);
      }
    }
    start += surplus;
    older = Nanos.add(older, surplus);
  }

  /**
   * Makes sure that there is a slot for {@code unit}. A ring that can still grow has not wrapped.
   */
  private void makeRoom(long unit) {
    int length = slots.length;
    while (length < enough && unit >= length) {
      length *= 2;
    }
    if (length > slots.length) {
      slots = Arrays.copyOf(slots, length);
      unprepared = firstUnprepared();
    }
  }

  private long firstUnprepared() {
    if (forgotten != null) {
      return total + 1;
    }
    return slots.length < enough ? slots.length : 0; // 0: none, but where numbers wrap
  }

  private int slot(long unit) {
    return (int) unit & (slots.length - 1);
  }
}
