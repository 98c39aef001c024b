package dev.pacegate.limit;

import java.util.Arrays;

/**
 * When units were released: the instants of the last ones, in the order of their release.
 *
 * <p>Each unit has the number after its predecessor's; {@link #total} is the last. Only the last
 * {@code keep} units are remembered, and only they can matter to a limit of {@code keep} per
 * interval. They are remembered exactly while {@code keep} is below {@value #MOST_SLOTS} - 1;
 * beyond, neighbours (fewer than {@code keep} / 1000) share the instant of their last: never too
 * early, so never over a limit.
 *
 * <p>Instants never go back: a unit that comes with an earlier one counts as of its predecessor's.
 * Numbers of units wrap; they are compared by subtraction, as instants are.
 */
/*
 * A ring in which unit u has slot u, or slot u / 2^s if 2^s neighbours share one. So a unit is found,
 * and another one added, in a few instructions, whatever the limit.
 */
final class Stamps {

  static final int MOST_SLOTS = 2048;

  /** So few that a million windows, most of them hardly used, fit into memory. */
  private static final int FEWEST_SLOTS = 4;

  private final long keep;
  private long remembered; // how many units are, so that it is still enough if some are taken back
  private final int shift; // s
  private int enough; // slots for `keep` units and a neighbourhood that has begun
  private long[] slots;
  private long room; // the first unit for which there is no slot yet; 0 if there are enough
  private long latest; // the instant of the last unit
  private long total;
  private long start; // the units up to this one are not remembered
  private long older; // how many there were before unit `start` + 1

  /**
   * @param keep how many units matter
   */
  Stamps(long keep) {
    int halvings = 0;
    while (keep >> halvings >= MOST_SLOTS - 1) {
      halvings++;
    }
    this.keep = keep;
    this.remembered = keep;
    this.shift = halvings;
    this.enough = 2 * Integer.highestOneBit((int) (keep >> halvings) + 1);
    this.slots = new long[Math.min(FEWEST_SLOTS, enough)];
    this.room = roomOf(slots.length);
  }

  /** Returns the number of the last unit. */
  long total() {
    return total;
  }

  /** Returns the latest instant, {@code now} if there is none later. */
  long latest(long now) {
    return now - latest >= 0 || total == start ? now : latest;
  }

  /** Returns whether there has been a unit of this number, given that it would matter. */
  boolean knows(long unit) {
    return unit - start > 0;
  }

  /** Returns the instant of a unit that is remembered. */
  long of(long unit) {
    return slots[slot(unit)];
  }

  /**
   * Returns whether more than {@code count}, less than {@code keep}, came after {@code instant}.
   */
  boolean moreThan(long count, long instant) {
    return knows(total - count) && of(total - count) - instant > 0;
  }

  /** Returns how many of the units that are remembered came after {@code instant}. */
  long after(long instant) {
    long low = 0;
    long high = known();
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (moreThan(middle, instant)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Adds one unit, released at {@code stamp}. */
  void add(long stamp) {
    long unit = total + 1;
    if (unit == room) {
      makeRoom(unit);
    }
    latest = latest(stamp);
    slots[slot(unit)] = latest;
    total = unit;
  }

  /** Adds {@code units}, all released at {@code stamp}. */
  void add(long stamp, long units) {
    if (units == 0) {
      return;
    }
    long numbered = Math.min(units, keep);
    long last = total + numbered;
    makeRoom(last);
    latest = latest(stamp);
    int slot = slot(last);
    slots[slot] = latest;
    for (int other = slot(total + 1); other != slot; other = (other + 1) & (slots.length - 1)) {
      slots[other] = latest;
    }
    total = last;
    // What came before those that get no number must never take the place of any.
    forget(units > numbered ? keep : remembered, units - numbered);
  }

  /**
   * Takes back up to {@code units} that were released at {@code stamp}: as many as are known to
   * have been, and as make none matter again that is not remembered.
   */
  void remove(long stamp, long units) {
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
    // Each slot gets the instant of the unit that is its last now; those behind have moved up.
    for (long unit = last - count + 1; unit - total <= 0; unit = nextSlot(unit)) {
      long member = nextSlot(unit) - 1;
      slots[slot(unit)] = of((member - total < 0 ? member : total) + removed);
    }
  }

  private long nextSlot(long unit) {
    return ((unit >>> shift) + 1) << shift;
  }

  /** From the first time on that any are taken back, as more will be. */
  private void rememberMore() {
    if (remembered != keep) {
      return;
    }
    remembered = 2 * keep;
    if (slots.length == enough) {
      long[] narrow = slots;
      forget((long) (narrow.length - 1) << shift, 0); // the ring has none but these
      slots = new long[2 * narrow.length];
      Arrays.fill(slots, latest); // what is older than all that there is counts as of now
      for (int i = 0; i < narrow.length; i++) {
        long unit = total - ((long) i << shift);
        slots[slot(unit)] = narrow[(int) (unit >>> shift) & (narrow.length - 1)];
      }
    }
    enough *= 2;
    room = roomOf(slots.length);
  }

  /** Tells all that there may have been, at {@code rate} before what is remembered. */
  void recall(long now, Past past, Rate rate) {
    long instant = now;
    long unit = total;
    for (long left = known(); left > 0; ) {
      instant = of(unit) - now < 0 ? of(unit) : now;
      long sharing = Math.min(left, unit - (unit >>> shift << shift) + 1);
      past.started(instant, sharing);
      unit -= sharing;
      left -= sharing;
    }
    long before = Nanos.add(older, unit - start);
    SteadyPace.tell(past, instant, before, rate.permits(), rate.nanos());
  }

  private long known() {
    return Math.min(remembered, total - start);
  }

  /**
   * Forgets all but the last {@code kept}, which keeps `start` within reach of numbers that wrap,
   * and counts units that get no number.
   */
  private void forget(long kept, long unnumbered) {
    long surplus = Math.max(0, total - start - kept);
    start += surplus;
    older = Nanos.add(older, Nanos.add(surplus, unnumbered));
  }

  /** Sees to a slot for {@code unit}. As long as the ring may grow, it has not come round. */
  private void makeRoom(long unit) {
    int length = slots.length;
    while (length < enough && unit >>> shift >= length) {
      length *= 2;
    }
    if (length > slots.length) {
      slots = Arrays.copyOf(slots, length);
      room = roomOf(length);
    }
  }

  private long roomOf(int length) {
    return length < enough ? (long) length << shift : 0;
  }

  private int slot(long unit) {
    return (int) (unit >>> shift) & (slots.length - 1);
  }
}
