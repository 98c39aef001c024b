package dev.pacegate.simulator.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Stretch;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class HighestEstimateTest {

  private static final long MAX = 9;
  private static final long SECOND = 1_000_000_000;

  /** Every phase in steps of half a nanosecond, at every start. */
  @Test
  void findsWhatTryingEveryPhaseFinds() {
    for (long nanos : new long[] {1, 2, 7, 30, 55}) {
      RandomLog.forMany(100, 30, (log, name) -> checkAgainstModel(log, nanos, name + ", " + nanos));
    }
  }

  private static void checkAgainstModel(RandomLog log, long nanos, String name) {
    long highest = highest(log, nanos); // times nanos, times 2
    for (long origin : RandomLog.ORIGINS) {
      Verdict verdict = log.audit(new EstimateAtMost(MAX, nanos, Measure.PLAIN), origin);
      assertEquals((highest + 2 * nanos - 1) / (2 * nanos), verdict.measured(), name);
      assertEquals(highest <= 2 * nanos * MAX, verdict.kept(), name);
      Verdict tightest = log.audit(verdict.tightest(), origin);
      assertTrue(tightest.kept(), name);
      if (verdict.measured() > 0) {
        assertFalse(
            log.audit(new EstimateAtMost(verdict.measured() - 1, nanos, Measure.PLAIN), origin)
                .kept());
        checkIsThere(log, verdict.where(), origin, name);
      }
    }
  }

  /** Scaled up, products need 128 bits: the estimate is the same, times the cost. */
  @Test
  void isExactForLargeNumbers() {
    long longer = 1_000_000_000_000_003L;
    long more = 100_000_000_000_007L;
    for (long nanos : new long[] {7, 30, 55}) {
      RandomLog.forMany(
          30,
          30,
          (log, name) -> {
            var large =
                new RandomLog(
                    log.requests().stream()
                        .map(r -> request(r.start() * longer, r.end() * longer, r.cost() * more))
                        .toList());
            var units = BigInteger.valueOf(2 * nanos);
            BigInteger highest = BigInteger.valueOf(highest(log, nanos));
            BigInteger[] expected =
                highest.multiply(BigInteger.valueOf(more)).divideAndRemainder(units);
            var promise = new EstimateAtMost(MAX, nanos * longer, Measure.PLAIN);
            assertEquals(
                expected[0].longValueExact() + expected[1].signum(),
                large.audit(promise, 0).measured(),
                name);
          });
    }
  }

  private static RandomLog.Request request(long start, long end, long cost) {
    return new RandomLog.Request(start, end, cost);
  }

  private static long highest(RandomLog log, long nanos) {
    long highest = 0;
    for (RandomLog.Request last : log.counted()) {
      for (long begun = 2 * last.start(); begun > 2 * (last.start() - nanos); begun--) {
        highest = Math.max(highest, estimate(log, nanos, begun, last.start()));
      }
    }
    return highest;
  }

  /**
   * Returns the published formula times {@code 2 * nanos}. Each request is counted at whatever
   * instant makes it most.
   *
   * @param begun when the present window began, in half nanoseconds
   */
  private static long estimate(RandomLog log, long nanos, long begun, long now) {
    long left = 2 * nanos - (2 * now - begun);
    long sum = 0;
    for (RandomLog.Request request : log.counted()) {
      if (request.start() <= now) {
        long latest = 2 * Math.min(request.end(), now);
        long weight = latest >= begun ? 2 * nanos : latest >= begun - 2 * nanos ? left : 0;
        sum += request.cost() * weight;
      }
    }
    return sum;
  }

  private static void checkIsThere(RandomLog log, Stretch where, long origin, String name) {
    long inside = 0;
    for (RandomLog.Request request : log.counted()) {
      long from = origin + request.start();
      long to = origin + request.end();
      inside += from - where.to() <= 0 && to - where.from() >= 0 ? request.cost() : 0;
    }
    assertEquals(inside, where.counted(), name);
  }

  /** What keeps to a bucket is never estimated above its burst and the rate of an interval. */
  @Test
  void aBucketIsNeverEstimatedAboveItself() {
    for (Rate rate : List.of(new Rate(1, 10), new Rate(3, 30), new Rate(97, 1000))) {
      RandomLog.forMany(
          500,
          30,
          (log, name) -> {
            var none = new Promise.Refilled(0, rate, 0, Measure.PLAIN, true);
            Verdict bucket = log.audit(none, 0);
            Verdict estimate = log.audit(EstimateAtMost.of(rate), 0);
            assertTrue(estimate.measured() <= bucket.measured() + rate.permits(), name);
          });
    }
  }

  @Test
  void tellsTheHighestEstimate() {
    var audit = Audit.of(List.of(EstimateAtMost.of(new Rate(3, SECOND))));
    for (long millis : new long[] {0, 0, 0, 1500, 1500, 1500}) {
      audit.add(millis * 1_000_000);
    }
    assertEquals(
        """
        broken: an estimate of at most 3 from a window of 1s and the one before, wherever they begin
          highest estimate: 4.5, by 6 within 1.5s, from 0 to 1500000000
          limit that fits: an estimate of at most 5 from a window of 1s and the one before, wherever\
         they begin""",
        audit.verdict().text());
    assertTrue(Audit.of(List.of(audit.verdict().promise())).add(5).verdict().kept());
    assertEquals(
        "kept: an estimate of at most 3 from a window of 1s and the one before, wherever they begin",
        Audit.of(List.of(EstimateAtMost.of(new Rate(3, SECOND)))).verdict().text());
  }

  /** A window at half the number is never refused, at the whole number it may be read as double. */
  @Test
  void aWindowIsReadAsUpToDouble() {
    var audit = Audit.of(List.of(EstimateAtMost.of(new Rate(20, 1000))));
    for (long at : new long[] {0, 999, 1999, 2999}) {
      audit.add(at, 10);
    }
    assertEquals(20, audit.verdict().measured());
  }

  @Test
  void isExactHoweverLongTheLog() {
    var audit = Audit.of(List.of(EstimateAtMost.of(new Rate(6, 14))));
    for (long at = 0; at < 700_000; at += 7) {
      audit.add(at, 3);
    }
    Verdict steady = audit.verdict(); // a burst of 3 and a rate of 3/7ns
    assertEquals(9, steady.measured());
    audit.add(700_000 - 1, 3);
    assertEquals(10, audit.verdict().measured());
  }

  /** Two steps of the queue for each request, each with one match on each level of the tree. */
  @Test
  void comparesFewWindowsHoweverManyAreOpen() {
    Random random = new Random(7);
    long evenly = matches(300_000, 10 * SECOND, i -> i * 100_000L, i -> 0);
    assertTrue(evenly < 15_000_000, "10 000 a second in windows of 10 s: " + evenly);
    long[] now = {0};
    long poisson =
        matches(
            60_000,
            10 * SECOND,
            i -> now[0] += (long) (-Math.log(1 - random.nextDouble()) * SECOND / 1000),
            i -> random.nextLong(50_000_000));
    assertTrue(poisson < 6_000_000, "1000 a second: " + poisson);
  }

  private static long matches(
      int requests, long nanos, LongUnaryOperator start, LongUnaryOperator length) {
    var check = new HighestEstimate(new EstimateAtMost(MAX, nanos, Measure.PLAIN));
    for (int i = 0; i < requests; i++) {
      long at = start.applyAsLong(i);
      check.add(at, at + length.applyAsLong(i), 1);
    }
    return check.matches();
  }

  @Test
  void doesNotOverflow() {
    var audit =
        Audit.of(List.of(new EstimateAtMost(Long.MAX_VALUE, Long.MAX_VALUE, Measure.PLAIN)));
    audit.add(Long.MAX_VALUE, Long.MAX_VALUE);
    assertTrue(audit.verdict().kept());
    audit.add(Long.MAX_VALUE + 5, Long.MAX_VALUE);
    assertFalse(audit.verdict().kept());
    assertEquals(Long.MAX_VALUE, audit.verdict().measured());
    assertEquals(
        Long.MAX_VALUE, new EstimateAtMost(1, Long.MAX_VALUE, Measure.PLAIN).length(), "saturates");
    var open = Audit.of(List.of(new EstimateAtMost(1, 1, Measure.PLAIN)));
    open.add(0, Long.MAX_VALUE, Cost.ONE).add(Long.MAX_VALUE - 1, Long.MAX_VALUE, Cost.ONE);
    assertEquals(2, open.verdict().measured());
    assertEquals(BigInteger.TWO, BigInteger.valueOf(open.verdict().where().counted()));
  }

  @Test
  void refusesWhatIsNoPromise() {
    assertThrows(IllegalArgumentException.class, () -> new EstimateAtMost(-1, 1, Measure.PLAIN));
    assertThrows(IllegalArgumentException.class, () -> new EstimateAtMost(1, 0, Measure.PLAIN));
  }
}
