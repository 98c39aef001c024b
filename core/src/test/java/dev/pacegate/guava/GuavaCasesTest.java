package dev.pacegate.guava;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Window;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The documented cases of Guava's {@code RateLimiter} (GR), on limiters and on {@link GuavaModel}:
 * how to read a script is said in {@link GuavaPlay}.
 *
 * <p>Where ours is different on purpose:
 *
 * <ul>
 *   <li>GR-4, GR-10: a rate is part of the limit's text, so bad ones fail when it is read.
 *   <li>GR-5: a cost of 0 is free; a negative one is an error.
 *   <li>GR-22, GR-24: an infinite rate is {@code unlimited}, which forgives what is owed at once.
 *       What was owed is paid where the fastest finite rate stands for it.
 *   <li>GR-28 and GR-29 do not apply: nullness is checked at compile time, and {@link Limiter} is
 *       final; a test of code that uses it gives it a {@link ManualTime} instead of mocking it.
 * </ul>
 */
@Timeout(60)
class GuavaCasesTest {

  private static final String INFINITE =
      "bucket(1_000_000_000/1s, burst=1_000_000_000, pay=later, debt=2, initial=empty)";

  private static final String COSTS_WITHOUT_END =
      "R0.00*536870911 R0.00*1073741823 R0.00*2147483647";

  // ---- bursty

  @Test // GR-1
  void simple() {
    GuavaPlay.bursty(5).sees("R0.00 R0.20 R0.20");
  }

  @Test // GR-2
  void immediateTry() {
    GuavaPlay.bursty(1).sees("T0:yes T0:no");
    Limiter limiter = Limiter.builder(GuavaPlay.burstyText(1)).time(ManualTime.manual()).build();
    assertTrue(limiter.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
  }

  @ParameterizedTest // GR-3, GR-3b: the slowest there is
  @ValueSource(strings = {"U2147483.65", "U5.00"})
  void slowestRate(String sleep) {
    GuavaPlay.bursty("bucket(1/36500d, pay=later, initial=empty)", 1 / (36_500 * 86_400.0))
        .sees("T0:yes T0:no " + sleep + " T0:no");
  }

  @Test // GR-4
  void theRateCanBeChangedAndReadAndBadOnesChangeNothing() {
    Limiter limiter = Limiter.of("warmup(5/1s, over=5s)");
    assertEquals(Limits.parse("warmup(5/1s, over=5s)"), limiter.limit());
    limiter.setLimit("warmup(10/1s, over=5s)");
    for (String rate : new String[] {"0/1s", "-10/1s"}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> limiter.setLimit("warmup(%s, over=5s)".formatted(rate)));
      assertThrows(
          IllegalArgumentException.class,
          () -> limiter.setLimit("bucket(%s, pay=later)".formatted(rate)));
    }
    assertEquals(Limits.parse("warmup(10/1s, over=5s)"), limiter.limit());
  }

  @ParameterizedTest // GR-5
  @ValueSource(strings = {"bucket(1/1s, pay=later)", "warmup(1/1s, over=1s)"})
  void aCostOfNothingIsFreeAndANegativeOneAnError(String limit) throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder(limit).time(time).build();
    limiter.acquire();
    for (int i = 0; i < 3; i++) {
      limiter.acquire(0);
      assertTrue(limiter.tryAcquire(0).isPresent());
      assertTrue(limiter.tryAcquire(0, Duration.ofSeconds(1)).isPresent());
    }
    assertEquals(0, time.nanoTime());
    assertThrows(IllegalArgumentException.class, () -> limiter.acquire(-1));
    assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(-1));
    assertThrows(
        IllegalArgumentException.class, () -> limiter.tryAcquire(-1, Duration.ofSeconds(1)));
  }

  @Test // GR-6, GR-7: what acquire reports is compared with the clock in every case
  void withWait() {
    GuavaPlay.bursty(5).sees("R0.00 U0.20 R0.00 R0.20");
  }

  @Test // GR-8
  void idlenessIsStored() {
    GuavaPlay.bursty(5).sees("R0.00 U0.40 R0.00 R0.00 R0.20");
  }

  @Test // GR-9
  void neverABurstAboveOneSecond() {
    GuavaPlay.bursty(5).sees("U1.00 U1.00 R0.00 R0.00 R0.00*3 R0.00 R0.20");
    GuavaPlay.bursty(5).sees("U100.00 6R0.00 4R0.20 U100.00 6R0.00 4R0.20");
    GuavaPlay.bursty(5).sees("R0.00 U1.20 6R0.00 R0.20 U0.20 R0.00 R0.20");
  }

  @Test // GR-16
  void burstyAndRateChange() {
    GuavaPlay.bursty(1)
        .sees("R0.00 R1.00")
        .rate(GuavaPlay.burstyText(2), 2)
        .sees("R1.00 R0.50*2 R1.00*4 R2.00");
  }

  @Test // GR-17
  void tryWithoutWaiting() {
    GuavaPlay.bursty(5).sees("T0:yes T0:no T0:no U0.10 T0:no");
  }

  @Test // GR-18
  void tryWithSomeWaiting() {
    GuavaPlay.bursty(5).sees("T0:yes T0.20:yes T0.10:no U0.10 T0.10:yes");
  }

  @Test // GR-19
  void theLongestTimeout() {
    GuavaPlay.bursty(5).sees("T0:yes U0.10 Tmax:yes R0.20");
  }

  @Test // GR-20
  void negativeTimeouts() {
    GuavaPlay.bursty(5).sees("T0*5:yes U0.90 Tmin:no U0.10 T-1.00:yes");
  }

  @Test // GR-21
  void weights() {
    GuavaPlay.bursty(1).sees("R0.00 R1.00 R1.00*2 R2.00*4 R4.00*8 R8.00");
  }

  @Test // GR-22
  void infiniteRate() {
    GuavaPlay.bursty("unlimited", Double.POSITIVE_INFINITY)
        .sees(COSTS_WITHOUT_END)
        .rate("bucket(2/1s, burst=2, pay=later)", 2) // full: Guava stores a second's worth, too
        .sees("R0.00 R0.00 R0.00 R0.50 R0.50")
        .rate(INFINITE, Double.POSITIVE_INFINITY)
        .sees("R0.50 R0.00 R0.00");
  }

  @Test // GR-23
  void infiniteRateAndTimePassed() {
    GuavaPlay.bursty("unlimited", Double.POSITIVE_INFINITY)
        .sees("U0.01")
        .rate("bucket(2/1s, burst=2, pay=later)", 2)
        .sees("R0.00 R0.00 R0.00 R0.50 R0.50");
  }

  @ParameterizedTest // GR-22, GR-24, different by design
  @ValueSource(
      strings = {"bucket(2/1s, pay=later, debt=9, initial=empty)", "warmup(2/1s, over=4s)"})
  void unlimitedForgivesAtOnce(String limit) throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder(limit).time(time).build();
    limiter.acquire(4);
    limiter.setLimit("unlimited");
    limiter.acquire();
    assertEquals(0, time.nanoTime());
  }

  @Test // GR-30
  void documentedValues() {
    GuavaPlay.bursty(5).sees("R0.00*5 R1.00 R0.20 R0.20");
    GuavaPlay.bursty(2).sees("R0.00 U2.00 R0.00 R0.00 R0.00 R0.50");
    warmUp("2/1s", 3, 3).sees("R0.00 R1.33 R1.00 R0.67 R0.50 R0.50");
  }

  // ---- warming up

  private static GuavaPlay warmUp(String rate, int seconds, int cold) {
    double perSecond = Double.parseDouble(rate.substring(0, rate.indexOf('/')));
    String limit = "warmup(%s, over=%ds, cold=%d)".formatted(rate, seconds, cold);
    return GuavaPlay.warmingUp(limit, perSecond, seconds, cold);
  }

  @Test // GR-10
  void aWarmUpMayTakeNoTime() {
    assertDoesNotThrow(() -> Limits.parse("warmup(1/1s, over=1ns)"));
    assertDoesNotThrow(() -> Limits.parse("warmup(1/1s, over=0s)"));
    assertThrows(IllegalArgumentException.class, () -> Limits.parse("warmup(0/1s, over=1ns)"));
    assertThrows(IllegalArgumentException.class, () -> Limits.parse("warmup(1/1s, over=-1ns)"));
  }

  @Test // GR-11
  void warmsUp() {
    String cold = "R0.00 R1.38 R1.13 R0.88 R0.63 3R0.50 ";
    warmUp("2/1s", 4, 3)
        .sees(cold + "U0.50 U4.00") // cold again
        .sees(cold + "U0.50 U2.00") // half as long: not cold
        .sees("R0.00 7R0.50");
    GuavaPlay.warmingUp("warmup(2/1s, over=4s)", 2, 4, 3).sees(cold); // 3 is the default
  }

  @Test // GR-12
  void warmsUpFromTenTimesSlower() {
    String cold = "R0.00 R1.75 R1.26 R0.76 R0.30 3R0.20 ";
    warmUp("5/1s", 4, 10)
        .sees(cold + "U0.20 U4.00")
        .sees(cold + "U0.20 U1.00")
        .sees("R0.00 7R0.20");
  }

  @Test // GR-13
  void aColdFactorOfOneIsNoWarmUp() {
    warmUp("5/1s", 4, 1).sees("R0.00 7R0.20 U0.34 R0.00 7R0.20");
  }

  @Test // GR-14
  void warmUpAndRateChange() {
    warmUp("2/1s", 4, 3)
        .sees("R0.00 R1.38 R1.13 R0.88 R0.63 3R0.50 U4.50")
        .sees("R0.00 R1.38 R1.13")
        .rate("warmup(4/1s, over=4s, cold=3)", 4)
        .sees("R0.88 R0.34 R0.28 R0.25 R0.25 U4.25") // the first pays at the old rate
        .sees("R0.00 R0.72 R0.66 R0.59 R0.53 R0.47 R0.41 R0.34 R0.28 R0.25 R0.25");
  }

  @Test // GR-15
  void warmUpFromTenTimesSlowerAndRateChange() {
    warmUp("5/1s", 4, 10)
        .sees("R0.00 R1.75 R1.26 R0.76 R0.30 3R0.20 U4.20")
        .sees("R0.00 R1.75 R1.26")
        .rate("warmup(10/1s, over=4s, cold=10)", 10)
        .sees("R0.76 R0.20 R0.10 R0.10 R0.10 U4.10")
        .sees("R0.00 R0.94 R0.81 R0.69 R0.57 R0.44 R0.32 R0.20 R0.10 R0.10 R0.10");
  }

  /** The same at ten times the speed, down and up again. */
  @Test
  void warmUpAndManyRateChanges() {
    warmUp("10/1s", 2, 3)
        .sees("R0.00 R0.29 R0.27 R0.25")
        .rate("warmup(1/1s, over=2s)", 1)
        .sees("R0.23 R1.36 R1.00 R1.00")
        .rate("warmup(20/1s, over=2s)", 20)
        .sees("R1.00 R0.05 R0.05 U2.05 R0.00 R0.15 R0.14");
  }

  @ParameterizedTest
  @CsvSource({"4/1s, 2", "2/1s, 3", "1/1s, 10", "1/2s, 3", "1/10s, 2", "1/10s, 10"})
  void timeToWarmUpIsHonouredEvenWithWeights(String rate, int cold) throws InterruptedException {
    Rate exact = ((Window) Limits.parse(rate)).rate();
    double interval = (double) exact.nanos() / exact.permits();
    int permits = 10; // between cold and warm
    double over = (1 + cold) * permits * interval / 2; // whole nanoseconds
    var random = new SplittableRandom(cold);
    for (int trial = 0; trial < 20; trial++) {
      ManualTime time = ManualTime.selfAdvancing();
      Limiter limiter =
          Limiter.builder("warmup(%s, over=%.0fns, cold=%d)".formatted(rate, over, cold))
              .time(time)
              .build();
      var model = GuavaModel.warmingUp(1e9 / interval, over, cold, 0);
      for (int left = permits; left > 0; ) {
        int next = 1 + random.nextInt(left);
        double before = time.nanoTime();
        limiter.acquire(next);
        assertEquals(model.acquire(before, next), time.nanoTime() - before, 1_000);
        left -= next;
      }
      limiter.acquire(); // pays
      assertEquals(over, (double) time.nanoTime(), 1_000, "trial " + trial);
    }
  }

  @Test // GR-24
  void infiniteRateThenWarmUp() {
    GuavaPlay.warmingUp("unlimited", Double.POSITIVE_INFINITY, 10, 3)
        .sees(COSTS_WITHOUT_END)
        .rate("warmup(1/1s, over=10s)", 1) // what follows no limit at all starts warm
        .sees("R0.00 R1.00 R1.00")
        .rate("warmup(1_000_000_000/1s, over=10s)", Double.POSITIVE_INFINITY)
        .sees("R1.00 R0.00 R0.00");
  }

  @Test // GR-25
  void infiniteRateAndTimePassedThenWarmUp() {
    GuavaPlay.warmingUp("unlimited", Double.POSITIVE_INFINITY, 10, 3)
        .sees("U0.01")
        .rate("warmup(1/1s, over=10s)", 1)
        .sees("R0.00 R1.00 R1.00 R1.00 R1.00");
  }

  // ---- X: where the original fails

  @ParameterizedTest // there, as soon as a microsecond has passed, nothing is limited
  @ValueSource(strings = {"0s", "1ns", "999ns"})
  void aWarmUpOfNoTimeIsNoWarmUp(String over) throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("warmup(5/1s, over=%s)".formatted(over)).time(time).build();
    time.advance(Duration.ofSeconds(10));
    long began = time.nanoTime();
    for (int i = 0; i < 50; i++) {
      limiter.acquire();
      // The area under the slope is the warm-up itself: not even two microseconds.
      assertEquals(i * 0.2e9, (double) (time.nanoTime() - began), 2_000, over);
    }
  }

  @Test
  void aRateIsWhatItSays() throws InterruptedException {
    assertIsWhatItSays(80_000);
  }

  @ParameterizedTest
  @CsvSource({"1000001", "2000000"})
  @Tag("slow")
  void aHighRateIsWhatItSays(long perSecond) throws InterruptedException {
    assertIsWhatItSays(perSecond);
  }

  private static void assertIsWhatItSays(long perSecond) throws InterruptedException {
    String[] limits = {
      GuavaPlay.burstyText(perSecond),
      "bucket(%d/1s, pay=later, initial=empty)".formatted(perSecond),
      "warmup(%d/1s, over=0s)".formatted(perSecond)
    };
    for (String limit : limits) {
      ManualTime time = ManualTime.selfAdvancing();
      Limiter limiter = Limiter.builder(limit).time(time).build();
      long released = -1; // the one that goes when the second is over
      while (time.nanoTime() < 1_000_000_000) {
        limiter.acquire();
        released++;
      }
      assertTrue(Math.abs(released - perSecond) <= 1, limit + ": " + released);
    }
  }
}
