package dev.pacegate.audit;

import dev.pacegate.limit.CalendarWindows;
import dev.pacegate.limit.Promise;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks that the costs of requests that overlap a window of the calendar, each from e before its
 * start to e after its end, sum up to at most M; and measures the most.
 *
 * <p>A request adds its cost at its first window and subtracts it behind its last one. Windows
 * before the one that the present start overlaps get nothing more: those are summed up and dropped.
 */
final class MostInCalendar implements PromiseCheck {

  private static final long DAY = 86_400_000_000_000L;
  private static final long FARTHEST_DAYS = 179 * 365;

  private final Promise.PerCalendar promise;
  private final CalendarWindows windows;
  private final TreeMap<Long, BigInteger> changes = new TreeMap<>(); // by the number of the window
  private BigInteger settled = BigInteger.ZERO; // what touches the last window that was summed up
  private Maximum most = Maximum.NONE; // of those that were

  MostInCalendar(Promise.PerCalendar promise) {
    this.promise = promise;
    this.windows = promise.windows();
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    check(start);
    check(end);
    long first = windows.index(start - promise.marginNanos());
    long last = windows.index(end + promise.marginNanos());
    while (!changes.isEmpty() && changes.firstKey() < first) {
      Map.Entry<Long, BigInteger> change = changes.pollFirstEntry();
      settled = settled.add(change.getValue());
      most = or(most, settled, change.getKey());
    }
    changes.merge(first, BigInteger.valueOf(amount), BigInteger::add);
    changes.merge(last + 1, BigInteger.valueOf(-amount), BigInteger::add);
  }

  private static void check(long instant) {
    if (Math.abs(instant / DAY) > FARTHEST_DAYS) {
      throw new IllegalArgumentException(
          "a calendar is judged from 1790 to 2149, not at " + Instant.ofEpochSecond(0, instant));
    }
  }

  private Maximum or(Maximum most, BigInteger sum, long window) {
    return most.or(sum, sum, windows.beginning(window), windows.beginning(window + 1));
  }

  @Override
  public Verdict verdict() {
    BigInteger sum = settled;
    Maximum highest = most;
    for (var change : changes.entrySet()) {
      sum = sum.add(change.getValue());
      highest = or(highest, sum, change.getKey());
    }
    boolean kept = highest.value().compareTo(BigInteger.valueOf(promise.max())) <= 0;
    long measured = Maximum.saturated(highest.value());
    return new Verdict(
        promise,
        kept,
        measured,
        highest.stretch(),
        "most: " + measured + " in the window",
        new Promise.PerCalendar(measured, windows, promise.marginNanos(), promise.of()));
  }
}
