package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.HashMap;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PhasesTest {

  private static final long MAX = 5;

  /** Up to a thousand nanoseconds every phase is on the grid. */
  @Test
  void findsThePhaseThatBreaksMostOfAll() {
    Log.forMany(1000, 90, (log, name) -> checkAgainstModel(log.withoutEnds(), 90, 1, name));
    Log.forMany(100, 1000, (log, name) -> checkAgainstModel(log.withoutEnds(), 1000, 1, name));
  }

  @Test
  void findsThePhaseThatBreaksMostOfItsGrid() {
    Log.forMany(100, 3000, (log, name) -> checkAgainstModel(log.withoutEnds(), 3000, 3, name));
  }

  private static void checkAgainstModel(Log log, long interval, long step, String name) {
    long most = broken(log, interval, step);
    for (long origin : Log.ORIGINS) {
      var promise = new Promise.AtMost(MAX, interval, Measure.PLAIN, false);
      Verdict verdict = log.audit(promise, origin);
      assertEquals(verdict.kept(), most == 0, name);
      assertEquals(most, verdict.windows().broken(), name);
      long reported = verdict.windows().phase();
      assertTrue(reported >= 0 && reported < interval, name);
      if (origin <= 0) { // otherwise the clock wraps within the log, and phases with it
        long phase = reported - Math.floorMod(origin, interval);
        assertTrue(verdict.kept() || most == brokenAt(log, interval, phase), name);
      }
    }
  }

  /** The most windows that are broken at any phase of the grid; 0 if no interval is too full. */
  private static long broken(Log log, long interval, long step) {
    OptionalLong anchor = anchor(log, interval);
    if (anchor.isEmpty()) {
      return 0;
    }
    return LongStream.range(0, interval / step)
        .map(i -> brokenAt(log, interval, anchor.getAsLong() + i * step))
        .max()
        .orElseThrow();
  }

  /** The last release of the first interval found too full from which on it is. */
  private static OptionalLong anchor(Log log, long interval) {
    var requests = log.counted();
    for (int last = 0; last < requests.size(); last++) {
      long sum = 0;
      for (int first = last; first >= 0; first--) {
        sum += requests.get(first).cost();
        if (requests.get(last).start() - requests.get(first).start() < interval && sum > MAX) {
          return OptionalLong.of(requests.get(first).start());
        }
      }
    }
    return OptionalLong.empty();
  }

  private static long brokenAt(Log log, long interval, long phase) {
    var windows = new HashMap<Long, Long>();
    for (var request : log.counted()) {
      long window = Math.floorDiv(request.start() - phase, interval);
      windows.merge(window, request.cost(), Long::sum);
    }
    return windows.values().stream().filter(sum -> sum > MAX).count();
  }

  /** Three per second in a timer's windows, which begin 400 ms after the peer's. */
  @Test
  void countsTheWindowsThatAnotherPhaseBreaks() {
    var story = Story.under("3/1s");
    for (int second = 0; second < 100; second++) {
      story.at(1000 * second + 390, 1000 * second + 398, 1000 * second + 399);
      story.at(1000 * second + 401, 1000 * second + 402, 1000 * second + 403);
    }
    Verdict verdict = story.verdict();
    assertEquals(6, verdict.measured());
    assertEquals(100, verdict.windows().broken());
    assertEquals(390 * Story.MS, verdict.windows().phase());
  }

  /** A stretch of 1 ns among a thousand phases of 86.4 s: the grid begins where it is found. */
  @Test
  void missesNoBreachHoweverShort() {
    long day = 86_400_000_000_000L;
    var audit = Audit.of(Limits.parse("1/1d"));
    audit.add(123_456_789).add(123_456_789 + day - 1);
    assertEquals(new FixedWindows(123_456_789, 1), audit.verdict().windows());
  }

  /** A stretch of many intervals hits each phase in each of them. */
  @Test
  void countsEveryWindowOfALongBreach() {
    var audit = Audit.of(Limits.parse("1/1us"));
    for (long at = 0; at < 100_000; at += 250) {
      audit.add(at);
    }
    assertEquals(101, audit.verdict().windows().broken()); // the first and the last half full
  }
}
