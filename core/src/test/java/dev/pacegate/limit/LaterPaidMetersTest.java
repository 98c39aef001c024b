package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Meters of what is paid later: what changes of limits must neither add nor forget. */
class LaterPaidMetersTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private Limit limit = Limits.unlimited();
  private Meter meter = limit.newMeter(0);
  private long now;

  private long ask() {
    return meter.nanosUntil(now, now, Cost.ONE);
  }

  private void begin(String text) {
    limit = Limits.parse(text);
    meter = limit.newMeter(now);
  }

  private void change(String text) {
    Limit next = Limits.parse(text);
    meter = Changes.change(limit, meter, next, now);
    limit = next;
  }

  /** "So a limiter that is asked at a little less than its rate does warm up." */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "warmup(10/1s, over=500ms)",
        "warmup(10/1s, over=500ms, slack=100ms)",
        "warmup(10/1s, over=5s, slack=100ms)",
        "warmup(10/1s, over=5s, slack=1s)"
      })
  void aMeterPolledJustUnderItsRateGetsWarm(String limit) {
    meter = Limits.parse(limit).newMeter(0);
    for (int i = 0; i < 2000; i++) {
      now += 120 * MILLI;
      if (ask() == 0) {
        meter.release(now, now, Cost.ONE);
      }
    }
    for (int i = 0; i < 10; i++) {
      long since = now;
      now += ask();
      long before = now;
      meter.release(since, now, Cost.ONE);
      long took = now + ask() - before;
      assertTrue(took <= 100 * MILLI, () -> took + " ns for one");
    }
  }

  /** Whether what is idle for a day makes a debt, or is warm, under a warm-up. */
  @ParameterizedTest
  @CsvSource({
    "10/1s",
    "spacing(100ms)",
    "'bucket(10/1s)'",
    "'bucket(10/1s, burst=10)'",
    "'bucket(10/1s, burst=10, pay=later)'",
    "'warmup(10/1s, over=4s)'",
    "'warmup(10/1s, over=0s)'"
  })
  void afterADayOfIdlenessItIsColdAndOwesNothing(String old) {
    begin(old);
    for (int i = 0; i < 50; i++) {
      now += ask();
      meter.release(now, now, Cost.ONE);
    }
    now += 86_400 * SECOND;
    change("warmup(1/10s, over=40s)");
    assertEquals(0, ask(), "nothing is owed");
    meter.release(now, now, Cost.ONE);
    assertTrue(ask() > 11 * SECOND, () -> "it is cold: " + ask());
  }

  /** A bucket in use by single requests leaves no more than one request's price. */
  @Test
  void singleRequestsAreNoDebtOfAWarmup() {
    begin("bucket(100/1s, burst=1000)");
    for (int i = 0; i < 100_000; i++) {
      now += ask();
      meter.release(now, now, Cost.ONE);
    }
    change("warmup(100/1s, over=1s)");
    assertEquals(10 * MILLI, ask());
  }

  @ParameterizedTest
  @ValueSource(strings = {"20/10s", "bucket(1/1s, burst=20)", "warmup(1/1s, over=3s)"})
  void aLargeRequestIsStillToBePaid(String old) {
    begin(old);
    meter.release(now, now, Cost.of(12));
    change("warmup(1/1s, over=3s)");
    change("warmup(2/1s, over=3s)");
    assertTrue(ask() >= 6 * SECOND, () -> "" + ask());
    change("10/1s");
    assertEquals(SECOND, ask());
  }

  @ParameterizedTest
  @ValueSource(strings = {"bucket(10/1s)", "10/1s", "1000/1h", "bucket(10/1s, burst=20)"})
  void anHourOfSingleRequestsIsNoDebtOfASlowerWarmup(String old) {
    begin(old);
    for (int i = 0; i < 36_000; i++) {
      now += Math.max(100 * MILLI, ask());
      meter.release(now, now, Cost.ONE);
    }
    change("warmup(1/1s, over=4s)");
    assertTrue(ask() <= SECOND, () -> ask() + " ns");
  }

  /** What went at different instants is not one request. */
  @Test
  void onlyWhatWentLastIsStillToBePaid() {
    meter = Limits.parse("10/10s").newMeter(0);
    for (int i = 0; i < 10; i++) {
      now += SECOND;
      meter.release(now, now, Cost.ONE);
    }
    change("warmup(1/2s, over=4s)");
    assertEquals(2 * SECOND, ask());
  }

  /** To the same limit, over and over: the wait stays what it is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(7/1s, burst=3, pay=later, debt=5)",
        "bucket(7/1s, burst=3, pay=later, debt=5, slack=10ms)",
        "bucket(7/1s, burst=3, slack=10ms)",
        "warmup(7/1s, over=3s)",
        "warmup(7/1s, over=3s, slack=10ms)"
      })
  void toTheSameLimitTheWaitDoesNotCreep(String limit) {
    Seeds.forEach(
        200,
        random -> {
          meter = Limits.parse(limit).newMeter(0);
          now = 0;
          for (int i = 0; i < 5; i++) {
            now += ask() + random.nextLong(SECOND);
            meter.release(now, now, Cost.of(1 + random.nextLong(8)));
          }
          long before = ask();
          for (int i = 0; i < 100; i++) {
            change(limit);
          }
          assertEquals(before, ask());
        });
  }

  /** Changes of any two limits with the same wait: none makes a wait longer a second time. */
  @Test
  void toAndFroTheWaitDoesNotCreep() {
    String[] limits = {
      "bucket(2/1s, burst=4)",
      "bucket(2/1s, burst=4, pay=later, debt=4)",
      "warmup(2/1s, over=4s)",
      "warmup(3/1s, over=1s)",
      "8/4s",
      "bucket(3/1s, burst=2, pay=later)",
      "spacing(500ms)"
    };
    for (String one : limits) {
      for (String other : limits) {
        meter = Limits.parse(one).newMeter(0);
        now = 0;
        for (int i = 0; i < 10; i++) {
          now += ask();
          meter.release(now, now, Cost.ONE);
        }
        long worst = ask();
        for (int i = 0; i < 4; i++) {
          change(other);
          worst = Math.max(worst, ask());
          change(one);
          worst = Math.max(worst, ask());
        }
        long first = worst;
        for (int i = 0; i < 40; i++) {
          change(other);
          worst = Math.max(worst, ask());
          change(one);
          worst = Math.max(worst, ask());
        }
        long last = worst;
        assertTrue(
            last <= first + 1000, () -> one + " <-> " + other + ": " + first + " -> " + last);
      }
    }
  }

  /** No wait is negative, whatever the parameters, and succession adds no centuries. */
  @Test
  void noWaitIsNegativeOverTheWholeRange() {
    Seeds.forEach(
        5000,
        random -> {
          Limit old = any(random);
          Limit fresh = any(random);
          meter = old.newMeter(Long.MAX_VALUE - 5);
          now = Long.MAX_VALUE - 5;
          steps(random, old);
          meter = Changes.change(old, meter, fresh, now);
          steps(random, fresh);
        });
  }

  private void steps(SplittableRandom random, Limit limit) {
    for (int i = 0; i < 6; i++) {
      Cost cost = Cost.of(big(random, Long.MAX_VALUE));
      Cost ahead = Cost.of(big(random, Long.MAX_VALUE));
      long since = now - big(random, 1000);
      long wait = meter.nanosUntil(since, now, cost);
      long least = meter.atLeast(since, now, ahead, cost);
      long alone = meter.atLeast(since, now, Cost.none(), cost);
      assertTrue(wait >= 0 && least >= 0, () -> limit + " " + wait + " " + least);
      assertTrue(meter.restsIn(now) >= 0, () -> limit + " rests " + meter.restsIn(now));
      assertTrue(alone <= wait, () -> limit + " alone " + alone + " of " + wait + " " + cost);
      if (wait == 0 || random.nextInt(3) == 0) {
        meter.release(since, now, cost);
      }
      now += big(random, 1L << 60);
    }
  }

  private static long big(SplittableRandom random, long most) {
    long shifted = random.nextLong() >>> random.nextInt(1, 64);
    return Math.min(most, shifted);
  }

  private static Limit any(SplittableRandom random) {
    var rate = new Rate(1, 1 + big(random, Spans.MAX - 1));
    rate = new Rate(1 + big(random, rate.nanos() - 1), rate.nanos());
    long slack = random.nextBoolean() ? 0 : big(random, Spans.MAX);
    if (random.nextBoolean()) {
      long cold = 1 + random.nextLong(random.nextBoolean() ? 4 : 1000);
      return new Warmup(rate, big(random, Spans.MAX), cold, slack, Measure.PLAIN);
    }
    long most = Spans.MAX / (rate.nanos() / rate.permits() + 1);
    var oversize = random.nextBoolean() ? Bucket.Oversize.NEVER : Bucket.Oversize.WAIT;
    var bucket =
        new Bucket(
            rate,
            Math.max(1, big(random, most)),
            0,
            slack,
            Bucket.Initial.USUAL,
            oversize,
            Measure.PLAIN);
    return random.nextBoolean() ? bucket : bucket.payLater(Math.max(1, big(random, most)));
  }
}
