package dev.pacegate.simulator.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import java.util.List;
import org.junit.jupiter.api.Test;

class HighestCoarseEstimateTest {

  private static final long SECOND = 1_000_000_000;

  /** Every phase of the clock and of the windows, in steps of half a nanosecond. */
  @Test
  void findsWhatTryingEveryPhaseOfBothFinds() {
    for (long[] clock : new long[][] {{6, 2}, {6, 3}, {6, 6}, {20, 5}}) {
      RandomLog.forMany(40, 12, (log, name) -> checkAgainstModel(log, clock[0], clock[1], name));
    }
  }

  private static void checkAgainstModel(RandomLog log, long nanos, long grain, String name) {
    long highest = 0; // times nanos, times 2
    for (long step = 0; step < 2 * grain; step++) {
      for (long phase = 0; phase < 2 * nanos; phase++) {
        for (RandomLog.Request last : log.counted()) {
          long estimate = estimate(log, 2 * nanos, phase, 2 * grain, step, last.start());
          highest = Math.max(highest, estimate);
        }
      }
    }
    var promise = new EstimateAtMost(9, nanos, grain, Measure.PLAIN);
    for (long origin : RandomLog.ORIGINS) {
      Verdict verdict = log.audit(promise, origin);
      assertEquals((highest + 2 * nanos - 1) / (2 * nanos), verdict.measured(), name + promise);
      assertEquals(highest <= 2 * nanos * 9, verdict.kept(), name);
      assertTrue(log.audit(verdict.tightest(), origin).kept(), name);
    }
  }

  /** What the peer reads at {@code now}, times {@code nanos}; all in half nanoseconds but now. */
  private static long estimate(
      RandomLog log, long nanos, long phase, long grain, long step, long now) {
    long read = stamp(2 * now, grain, step);
    long begun = read - Math.floorMod(read - phase, nanos);
    long sum = 0;
    for (RandomLog.Request request : log.counted()) {
      if (request.start() <= now) {
        long latest = stamp(2 * Math.min(request.end(), now), grain, step);
        long weight =
            latest >= begun ? nanos : latest >= begun - nanos ? nanos - (read - begun) : 0;
        sum += request.cost() * weight;
      }
    }
    return sum;
  }

  private static long stamp(long instant, long grain, long step) {
    return instant - Math.floorMod(instant - step, grain);
  }

  /** What keeps to a bucket is read as at most its burst and the rate of a window and a step. */
  @Test
  void aCoarsePeerReadsABucketAsThatAndAStep() {
    RandomLog.forMany(
        500,
        30,
        (log, name) -> {
          var none = new Promise.Refilled(0, new Rate(3, 30), 0, Measure.PLAIN, true);
          long bucket = log.audit(none, 0).measured();
          long read = log.audit(new EstimateAtMost(9, 30, 10, Measure.PLAIN), 0).measured();
          assertTrue(read <= bucket + 4, name); // 3 in 30 ns, 1 in 10 ns
        });
  }

  /** The reason for grain: a bucket for an exact clock is read as more by a coarse one. */
  @Test
  void readsMoreThanAnExactClock() {
    var exact = EstimateAtMost.of(new Rate(10, 10 * SECOND));
    var audit = Audit.of(List.of(exact, exact.withGrain(5 * SECOND)));
    audit.add(0, 2);
    for (long at = 1; at <= 100; at++) {
      audit.add(at * 5 * SECOND / 4, 1); // 8 in 10 s
    }
    List<Verdict> verdicts = audit.report().verdicts();
    assertEquals(10, verdicts.get(0).measured());
    assertFalse(verdicts.get(1).kept());
    assertEquals(
        "an estimate of at most 10 from a window of 10s and the one before, wherever they begin,"
            + " by a clock with steps of 5s",
        verdicts.get(1).promise().text());
  }

  @Test
  void doesNotOverflow() {
    var audit = Audit.of(List.of(new EstimateAtMost(Long.MAX_VALUE, 10, 5, Measure.PLAIN)));
    audit.add(0, Long.MAX_VALUE);
    assertTrue(audit.verdict().kept());
    audit.add(9, Long.MAX_VALUE).add(100, 1);
    assertFalse(audit.verdict().kept());
    assertEquals(Long.MAX_VALUE, audit.verdict().measured());
    long half = Long.MAX_VALUE - 1;
    var longest = Audit.of(List.of(new EstimateAtMost(1, half, half / 2, Measure.PLAIN)));
    assertEquals(2, longest.add(0).add(half).verdict().measured());
  }

  @Test
  void refusesAGrainThatDoesNotDivideTheWindow() {
    for (long grain : new long[] {0, 3, 11, 2}) {
      long nanos = grain == 2 ? 200_002 : 10;
      assertThrows(
          IllegalArgumentException.class, () -> new EstimateAtMost(1, nanos, grain, Measure.PLAIN));
    }
  }
}
