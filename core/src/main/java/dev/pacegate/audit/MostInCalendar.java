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
final class MostInCalendar implements Question {

  private static final long DAY = 86_400_000_000_000L;
  private static final long FARTHEST_DAYS = 179 * 365;

  private final Promise.PerCalendar promise;
  private final CalendarWindows windows;
  private final TreeMap<Long, Wide> changes = new TreeMap<>(); // by the number of the window
  private final Wide settled = new Wide(); // what touches the last window that was summed up
  private final Highest most = new Highest();

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

  private Wide change(long window) {
    return changes.computeIfAbsent(window, none -> new Wide());
  }

  private void settleBefore(long window) {
    while (!changes.isEmpty() && changes.firstKey() < window) {
      Map.Entry<Long, Wide> change = changes.pollFirstEntry();
      settled.add(change.getValue());
      offer(most, settled, change.getKey());
    }
  }

  private void offer(Highest most, Wide sum, long window) {
    long begin = windows.beginning(window);
    most.offer(sum, sum.saturated(), begin, windows.beginning(window + 1));
  }

  @Override
  public Verdict verdict() {
    var sum = new Wide();
    var highest = new Highest();
    sum.set(settled);
    highest.set(most);
    changes.forEach(
        (window, change) -> {
          sum.add(change);
          offer(highest, sum, window);
        });
    boolean kept = !highest.value().exceeds(promise.max());
    return new Verdict(
        promise, kept, highest.value().saturated(), highest.stretch(), FixedWindows.NONE);
  }
}
