package dev.pacegate.limit;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Amounts by the instants at which they will be over. The first {@value #MOST_EXACT} instants are
 * exact; further ones are rounded up to a grid that has as many points in the longest span.
 */
final class EndTimes {

  private static final int MOST_EXACT = 512;

  private final TreeMap<Long, Long> amounts = new TreeMap<>((a, b) -> Long.signum(a - b));
  private final long origin; // of the grid
  private final long grain;

  /**
   * @param span how far ahead an instant may be
   */
  EndTimes(long span, long origin) {
    this.origin = origin;
    this.grain = span / MOST_EXACT + 1;
  }

  void add(long instant, long amount) {
    long later = amounts.size() < MOST_EXACT ? 0 : Math.floorMod(origin - instant, grain);
    amounts.merge(instant + later, amount, Nanos::add);
  }

  /**
   * Removes up to {@code amount} of what will be over at {@code instant} or later, the earliest
   * first: what stays is then over no earlier than it should be.
   *
   * @return how much it has removed
   */
  long take(long instant, long amount) {
    long taken = 0;
    var next = amounts.ceilingEntry(instant);
    while (next != null && taken < amount) {
      long part = Math.min(next.getValue(), amount - taken);
      taken += part;
      if (part == next.getValue()) {
        amounts.remove(next.getKey());
      } else {
        amounts.put(next.getKey(), next.getValue() - part);
      }
      next = amounts.ceilingEntry(instant);
    }
    return taken;
  }

  /** Removes the earliest that is over by {@code now}; null if there is none. */
  Map.@Nullable Entry<Long, Long> poll(long now) {
    return amounts.isEmpty() || amounts.firstKey() - now > 0 ? null : amounts.pollFirstEntry();
  }

  /** Removes all that is over by {@code now}. */
  void forgetUntil(long now) {
    while (!amounts.isEmpty() && amounts.firstKey() - now <= 0) {
      amounts.pollFirstEntry();
    }
  }

  /** Returns the instants and amounts, the earliest first. */
  Set<Map.Entry<Long, Long>> entries() {
    return amounts.entrySet();
  }

  void clear() {
    amounts.clear();
  }

  long sum() {
    long sum = 0;
    for (long amount : amounts.values()) {
      sum = Nanos.add(sum, amount);
    }
    return sum;
  }

  /** Returns the wait until {@code span} after all is over; 0 if there is nothing. */
  long untilAllOver(long span, long now) {
    return amounts.isEmpty() ? 0 : Nanos.until(amounts.lastKey(), span, now);
  }

  /** Returns those of these amounts that are over by {@code now}. */
  EndTimes until(long now) {
    var over = new EndTimes(0, origin);
    over.amounts.putAll(amounts.headMap(now, true));
    return over;
  }

  /** Returns these amounts without those of {@code some}, which are among them. */
  EndTimes without(EndTimes some) {
    var rest = new EndTimes(0, origin);
    rest.amounts.putAll(amounts);
    some.amounts.forEach(rest::take);
    return rest;
  }
}
