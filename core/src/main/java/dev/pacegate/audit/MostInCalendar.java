package dev.pacegate.audit;

import dev.pacegate.limit.CalendarWindows;
import dev.pacegate.limit.Promise;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether at most so much touched any window of a calendar, each request from e before its start to
 * e after its end; and the most that did.
 *
 * <p>What a request adds from one window on it takes away again behind its last one. Windows before
 * the one that the present start touches get nothing more: those are summed up and forgotten.
 */
final class MostInCalendar implements PromiseCheck {

  private static final long DAY = 86_400_000_000_000L;
  private static final long FARTHEST_DAYS = 179 * 365;

  private final Promise.PerCalendar promise;
  private final CalendarWindows windows;
  private final TreeMap<Long, Int128> changes = new TreeMap<>(); // by the number of the window
  private final Int128 settled = new Int128(); // what touches the last window that was summed up
  private final Maximum most = new Maximum();

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
    settleBefore(first);
    change(first).add(amount);
    change(last + 1).subtract(amount);
  }

  private static void check(long instant) {
    if (Math.abs(instant / DAY) > FARTHEST_DAYS) {
      throw new IllegalArgumentException(
          "a calendar is judged from 1790 to 2149, not at " + Instant.ofEpochSecond(0, instant));
    }
  }

  private Int128 change(long window) {
    return changes.computeIfAbsent(window, none -> new Int128());
  }

  private void settleBefore(long window) {
    while (!changes.isEmpty() && changes.firstKey() < window) {
      Map.Entry<Long, Int128> change = changes.pollFirstEntry();
      settled.add(change.getValue());
      offer(most, settled, change.getKey());
    }
  }

  private void offer(Maximum most, Int128 sum, long window) {
    long begin = windows.beginning(window);
    most.offer(sum, sum.saturated(), begin, windows.beginning(window + 1));
  }

  @Override
  public Verdict verdict() {
    var sum = new Int128();
    var highest = new Maximum();
    sum.set(settled);
    highest.set(most);
    changes.forEach(
        (window, change) -> {
          sum.add(change);
          offer(highest, sum, window);
        });
    boolean kept = !highest.value().exceeds(promise.max());
    long measured = highest.value().saturated();
    return new Verdict(
        promise,
        kept,
        measured,
        highest.stretch(),
        "most: " + measured + " in the window",
        new Promise.PerCalendar(measured, windows, promise.marginNanos(), promise.of()));
  }
}
