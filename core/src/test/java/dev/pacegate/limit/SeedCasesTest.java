package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The documented cases of the throttles that Pacegate succeeds (TB: the token bucket of Akka and
 * Pekko streams; the circular buffer; X: where they fail), on single meters.
 */
class SeedCasesTest {

  private static final long SECOND = 1_000_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 86_400 * SECOND;

  /** A meter and a clock: an offer waits as long as it must, then goes. */
  private static final class Offers {
    private final Meter meter;
    private final long origin;
    private long now;

    Offers(Limit limit, long origin) {
      this.meter = limit.newMeter(origin);
      this.origin = origin;
    }

    Offers(String limit) {
      this(Limits.parse(limit), 0);
    }

    /** Moves the clock to {@code instant}, after the origin. */
    Offers at(long instant) {
      now = instant;
      return this;
    }

    /** Checks that these costs, offered one after the other, wait for so long. */
    Offers offer(String costs, String waits) {
      var actual = new ArrayList<String>();
      for (String cost : costs.split(",", -1)) {
        actual.add(String.valueOf(offer(Long.parseLong(cost.strip()))));
      }
      assertEquals(waits, String.join(",", actual), "offers of " + costs + " at " + now);
      return this;
    }

    /** Returns the wait of {@code amount}, which goes as soon as it may. */
    long offer(long amount) {
      Cost cost = Cost.of(amount);
      long since = origin + now;
      long wait = meter.nanosUntil(since, since, cost);
      meter.release(since, since + wait, cost);
      return wait;
    }

    /** Lets everything go at once that may, for so many nanoseconds; returns how much. */
    long saturate(long nanos) {
      long released = 0;
      long end = now + nanos;
      for (; now < end; now += meter.nanosUntil(origin + now, origin + now, Cost.ONE)) {
        if (meter.nanosUntil(origin + now, origin + now, Cost.ONE) == 0) {
          meter.release(origin + now, origin + now, Cost.ONE);
          released++;
        }
      }
      return released;
    }
  }

  private static Limit bucket(long burst, long nanosPerToken) {
    return Limits.parse("bucket(1/" + nanosPerToken + "ns, burst=" + burst + ")");
  }

  private static Offers offers(long burst, long nanosPerToken) {
    return new Offers(bucket(burst, nanosPerToken), 0);
  }

  // ---- TB: the token bucket

  @Test // TB-1
  void startsFull() {
    offers(10, 1).offer("1,1,1,7", "0,0,0,0").offer("3", "3");
  }

  @Test // TB-2
  void waitsForTheTokensThatAreMissing() {
    offers(10, 2).offer("5,5,5", "0,0,10");
    offers(8, 3).offer("5,5", "0,6").at(6).offer("3", "9");
  }

  @Test // TB-3
  void aCostAboveTheBurstWaitsForTheRestOfItsPrice() {
    offers(10, 2).offer("5,20", "0,30").at(30).offer("1", "2").at(34).offer("1,1", "0,2");
  }

  /**
   * TB-4 is different by design: a bucket of capacity 0 lets no request go at once, however long it
   * has been idle. No promise needs that (a burst of 1 already keeps permits T apart), so the
   * smallest burst is 1, and a cost of 10 waits for nine tokens instead of ten.
   */
  @Test
  void thereIsNoBucketOfNoCapacity() {
    assertThrows(IllegalArgumentException.class, () -> bucket(0, 2));
    offers(1, 2).offer("10", "18").at(40).offer("10", "18");
  }

  @Test // TB-5
  void doesNotDelayWhatComesAtItsRate() {
    Offers bucket = offers(1, 10);
    for (long now = 0; now <= 100; now += 10) {
      bucket.at(now).offer("1", "0");
    }
  }

  @Test // TB-6
  void idlenessIsKeptUpToTheBurst() {
    offers(10, 1).offer("10", "0").at(100_000).offer("20", "10");
  }

  @ParameterizedTest // TB-7, TB-8
  @ValueSource(longs = {-100, Long.MAX_VALUE - 5, Long.MIN_VALUE})
  void anyClockWillDo(long origin) {
    new Offers(bucket(10, 1), origin).offer("5,10", "0,5").at(10).offer("5", "0");
  }

  @Test // TB-10
  void aCostOfNothingIsFree() {
    offers(10, 1).offer("0,0,0,10,0,0,0", "0,0,0,0,0,0,0").offer("1", "1");
  }

  /**
   * The token bucket of Akka and Pekko as its documentation describes it: whole tokens on a grid of
   * one per {@code nanosPerToken}.
   */
  private static final class Grid {
    private final long capacity;
    private final long nanosPerToken;
    private long available;
    private long last;

    Grid(long capacity, long nanosPerToken, long now) {
      this.capacity = capacity;
      this.nanosPerToken = nanosPerToken;
      this.available = capacity;
      this.last = now;
    }

    long offer(long now, long cost) {
      long arrived = Math.max(0, Math.floorDiv(now - last, nanosPerToken));
      last += arrived * nanosPerToken;
      available = Math.min(available + arrived, capacity);
      if (cost <= available) {
        available -= cost;
        return 0;
      }
      long delay = (cost - available) * nanosPerToken - (now - last);
      available = 0;
      last = now + delay;
      return delay;
    }
  }

  /**
   * TB-12 for capacities from 1: never earlier than Akka's bucket, and less than a token later. It
   * is not the same, by design: Akka's tokens lie on a grid, so the first after idleness takes less
   * than T to come back, which lets B + 1 into less than T: more than B + W/T.
   */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
  void isNeverEarlierThanAGridOfTokensAndLessThanATokenLater(long origin) {
    long[] capacities = {1, 5, 10};
    long[] others = {1, 3, 5};
    for (long capacity : capacities) {
      for (long nanosPerToken : others) {
        for (long gap : others) {
          for (long maxCost : new long[] {1, 5, 10}) {
            compareWithGrid(capacity, nanosPerToken, gap, maxCost, origin);
          }
        }
      }
    }
  }

  private static void compareWithGrid(
      long capacity, long nanosPerToken, long gap, long maxCost, long origin) {
    var random = new SplittableRandom(capacity * 1000 + nanosPerToken * 100 + gap * 10 + maxCost);
    var grid = new Grid(capacity, nanosPerToken, origin);
    var ours = new Offers(bucket(capacity, nanosPerToken), origin);
    long now = 0;
    int same = 0;
    int all = 0;
    while (now < 1001) {
      now += 1 + random.nextLong(gap);
      long cost = random.nextLong(maxCost + 1);
      long theirs = grid.offer(origin + now, cost);
      long wait = ours.at(now).offer(cost);
      long later = wait - theirs;
      assertTrue(later >= 0 && later < nanosPerToken, cost + " at " + now + ": " + later);
      same += later == 0 ? 1 : 0;
      all++;
      now += wait;
    }
    assertTrue(
        nanosPerToken > 1 || same == all, "a grid of single nanoseconds makes no difference");
  }

  /** TB-12, the rows of capacity 0: see {@link #thereIsNoBucketOfNoCapacity}; unit costs then. */
  @Test
  void aBurstOfOneKeepsWhatACapacityOfNothingIsFor() {
    Offers bucket = offers(1, 5);
    long last = -5;
    var random = new SplittableRandom(12);
    for (long now = 0; now < 1001; now += 1 + random.nextLong(5)) {
      long instant = now + bucket.at(now).offer(1);
      assertTrue(instant - last >= 5, "only " + (instant - last) + " apart");
      last = instant;
      now = instant;
    }
  }

  @Test // TB-13
  void refusesBadParameters() {
    assertThrows(IllegalArgumentException.class, () -> bucket(-1, 1));
    assertThrows(IllegalArgumentException.class, () -> bucket(10, 0));
    assertThrows(IllegalArgumentException.class, () -> bucket(10, -1));
    assertThrows(IllegalArgumentException.class, () -> Cost.of(-1));
  }

  // ---- the circular buffer: at most M sends in I

  @Test
  void sendsInBatchesOfMWhenAllComeAtOnce() {
    var window = new Offers("3/1000ns");
    var instants = new ArrayList<Long>();
    for (int i = 0; i < 10; i++) {
      window.now += window.offer(1);
      instants.add(window.now);
    }
    assertEquals(List.of(0L, 0L, 0L, 1000L, 1000L, 1000L, 2000L, 2000L, 2000L, 3000L), instants);
  }

  @Test
  void exactlyOneIntervalLaterIsLateEnough() {
    new Offers("1/1000ns").offer("1", "0").at(999).offer("1", "1");
    new Offers("1/1000ns").offer("1", "0").at(1000).offer("1", "0");
  }

  @Test // the article's own check: a sampler of any phase
  void noSamplerEverSeesMoreThanM() {
    Seeds.forEach(
        20,
        random -> {
          var window = new Offers("51/1s");
          var instants = new ArrayList<Long>();
          while (window.now < 20 * SECOND) {
            window.now += random.nextLong(SECOND / 60);
            window.now += window.offer(1);
            instants.add(window.now);
          }
          for (long phase = random.nextLong(SECOND); phase < window.now; phase += SECOND) {
            long from = phase;
            long seen = instants.stream().filter(t -> t >= from && t < from + SECOND).count();
            assertTrue(seen <= 51, seen + " from " + from);
          }
        });
  }

  @Test
  void countsWhenItWasSentNotWhenItWasPlanned() {
    Meter meter = Limits.parse("3/1s").newMeter(0);
    var instants = new ArrayList<Long>();
    long now = 0;
    var random = new SplittableRandom(7);
    for (int i = 0; i < 200; i++) {
      long wait = meter.nanosUntil(now, now, Cost.ONE);
      // Each waiter oversleeps, by 50 ms and more.
      now += wait == 0 ? 0 : wait + 50_000_000 * (1 + random.nextLong(3));
      assertEquals(0, meter.nanosUntil(now, now, Cost.ONE));
      meter.release(now, now, Cost.ONE);
      instants.add(now);
    }
    for (int i = 3; i < instants.size(); i++) {
      long four = instants.get(i) - instants.get(i - 3);
      assertTrue(four >= SECOND, "four within " + four);
    }
  }

  // ---- X: where the others fail

  @ParameterizedTest
  @CsvSource({"80000", "1000001", "2000000"})
  void aRateIsWhatItSays(long perSecond) {
    // The burst goes at once, so the first second holds that much more than the rate.
    long bucket = new Offers("bucket(" + perSecond + "/1s, burst=2)").saturate(SECOND);
    assertTrue(Math.abs(bucket - perSecond) <= 2, bucket + " of " + perSecond);
    long window = new Offers(perSecond + "/1s").saturate(SECOND);
    assertEquals(perSecond, window);
  }

  @Test
  void eightyThousandPerSecondOneByOne() {
    assertEquals(80_000, new Offers("bucket(80_000/1s)").saturate(SECOND));
  }

  @ParameterizedTest
  @ValueSource(strings = {"3/10ns", "600_000_000/1s", "7/3us", "999_999_937/1s", "1/1ns"})
  void isNeverAboveItsRateHoweverFast(String text) {
    Rate rate = ((Window) Limits.parse(text)).rate();
    Meter bucket = Limits.parse("bucket(" + text + ", burst=4)").newMeter(0);
    long released = 0;
    for (long now = 0; now < 5000; now++) {
      while (bucket.nanosUntil(now, now, Cost.ONE) == 0) {
        bucket.release(now, now, Cost.ONE);
        released++;
      }
      long refilled = Math.multiplyExact(now, rate.permits()) / rate.nanos();
      assertEquals(4 + refilled, released, "by " + now);
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 10", "7, 3000", "600, 1000", "1, 1"})
  void noIntervalHoldsMoreHoweverShort(long permits, long nanos) {
    Meter window = Limits.parse(permits + "/" + nanos + "ns").newMeter(0);
    var recent = new ArrayDeque<Long>();
    for (long now = 0; now < 20 * nanos; now++) {
      while (window.nanosUntil(now, now, Cost.ONE) == 0) {
        window.release(now, now, Cost.ONE);
        recent.add(now);
      }
      while (!recent.isEmpty() && recent.getFirst() <= now - nanos) {
        recent.removeFirst();
      }
      assertEquals(permits, recent.size(), "by " + now);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"spacing(100ns)", "bucket(1/100ns)", "1/100ns"})
  void aBurstOfOneIsAGap(String limit) {
    new Offers(limit).offer("1", "0").at(250).offer("1", "0").at(260).offer("1", "90");
  }

  @Test
  void theFirstPeriodHoldsNoMoreThanAnyOther() {
    var window = new Offers("1000/1h");
    assertEquals(1000, window.saturate(3600 * SECOND));
    assertEquals(1000, window.saturate(3600 * SECOND));
  }

  @Test
  void aWaitOfCenturiesIsNeitherNegativeNorForgotten() {
    var bucket = new Offers("bucket(1/300d)");
    assertEquals(355 * 300 * DAY, bucket.meter.nanosUntil(0, 0, Cost.of(356)));
    assertEquals(Meter.LONGEST, bucket.meter.nanosUntil(0, 0, Cost.of(357)));
    assertEquals(Meter.LONGEST, bucket.meter.nanosUntil(0, 0, Cost.of(Long.MAX_VALUE)));
    assertEquals(
        Meter.LONGEST, bucket.meter.atLeast(0, 0, Cost.of(Long.MAX_VALUE), Cost.of(1_000)));
    var window = new Offers("1/300d");
    assertEquals(355 * 300 * DAY, window.meter.atLeast(0, 0, Cost.of(355), Cost.ONE));
    assertEquals(Meter.LONGEST, window.meter.atLeast(0, 0, Cost.of(1_000_000), Cost.ONE));
    var never = new Offers("bucket(1/300d, oversize=never)");
    assertEquals(Meter.NEVER, never.meter.nanosUntil(0, 0, Cost.of(356)));
  }

  @Test
  void aRequestRefusedByOneLimitIsChargedToNone() {
    var both = new Offers("10/1s & 30/1m");
    long released = 0;
    for (int second = 0; second < 60; second++) {
      for (int i = 0; i < 100; i++) {
        long now = second * SECOND;
        if (both.meter.nanosUntil(now, now, Cost.ONE) == 0) {
          both.meter.release(now, now, Cost.ONE);
          released++;
        }
      }
      assertEquals(Math.min(30, 10 * (second + 1)), released);
    }
    assertEquals(0, both.meter.nanosUntil(MINUTE, MINUTE, Cost.of(10)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1/1m", "bucket(1/1m)", "spacing(1m)"})
  void onePerMinuteIsOneMinute(String limit) {
    new Offers(limit).offer("1", "0").offer("1", String.valueOf(MINUTE));
  }

  @Test
  void aProgramThatWasStoppedForLongDoesNotMakeUpForIt() {
    var bucket = new Offers("bucket(10/1s)");
    bucket.saturate(SECOND);
    bucket.at(11 * SECOND).offer("1", "0").offer("1", "100000000");
  }
}
