package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Rate;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rules of peers beside naive models of them. */
class CountersTest {

  /** What a rule says, worked out anew from all that was counted. */
  private interface Naive {
    boolean admits(List<long[]> counted, long stamp, long cost);
  }

  private static void same(String rule, long scale, int mostCost, Naive naive) {
    for (int round = 0; round < 50; round++) {
      long seed = Worlds.SEED + round;
      var random = new SplittableRandom(seed);
      Counter counter = Counter.of(Rule.parse(rule), new Chance(seed));
      var counted = new ArrayList<long[]>();
      long stamp = random.nextLong(1_000);
      for (int i = 0; i < 200; i++) {
        stamp += random.nextInt(3) == 0 ? 0 : random.nextLong(scale);
        long cost = 1L + random.nextInt(mostCost);
        counter.note(stamp, cost);
        boolean admits = naive.admits(counted, stamp, cost);
        assertEquals(admits, counter.admits(stamp, cost), rule + ", seed " + seed);
        if (admits || random.nextInt(4) == 0) { // some peers only count
          counter.count(stamp, cost);
          counted.add(new long[] {stamp, cost});
        }
      }
    }
  }

  @Test
  void fixedWindows() {
    same(
        "fixed(7/1us, phase=300ns)",
        300,
        3,
        (counted, stamp, cost) -> {
          Map<Long, Long> sums = new HashMap<>();
          counted.forEach(c -> sums.merge(Math.floorDiv(c[0] - 300, 1000L), c[1], Long::sum));
          return sums.getOrDefault(Math.floorDiv(stamp - 300, 1000L), 0L) + cost <= 7;
        });
  }

  @Test
  void slidingWindows() {
    same(
        "sliding(7/1us)",
        300,
        3,
        (counted, stamp, cost) ->
            counted.stream().filter(c -> stamp - c[0] < 1000).mapToLong(c -> c[1]).sum() + cost
                <= 7);
  }

  @Test
  void estimates() {
    same("estimated(7/1us, phase=300ns)", 300, 3, CountersTest::estimateAdmits);
  }

  /** The published formula, with all that was counted, as a fraction of any size. */
  private static boolean estimateAdmits(List<long[]> counted, long stamp, long cost) {
    long begun = Math.floorDiv(stamp - 300, 1000L) * 1000 + 300;
    BigInteger scaled = BigInteger.valueOf(cost * 1000);
    for (long[] c : counted) {
      long weight = c[0] >= begun ? 1000 : c[0] >= begun - 1000 ? 1000 - (stamp - begun) : 0;
      scaled = scaled.add(BigInteger.valueOf(c[1]).multiply(BigInteger.valueOf(weight)));
    }
    return scaled.compareTo(BigInteger.valueOf(7 * 1000)) <= 0;
  }

  /** Costs and intervals whose product is far beyond what a long holds. */
  @Test
  void estimatesOfLargeNumbers() {
    long most = 1_000_000_000_000L;
    Counter counter = new EstimateCounter(new Rate(most, 86_400_000_000_000L), 0);
    counter.count(0, most);
    assertEquals(false, counter.admits(86_400_000_000_000L, 1));
    assertEquals(true, counter.admits(86_400_000_000_000L * 3 / 2, most / 2));
    assertEquals(false, counter.admits(86_400_000_000_000L * 3 / 2, most / 2 + 1));
    assertEquals(true, counter.admits(2 * 86_400_000_000_000L, most));
  }

  /**
   * What keeps to a bucket of burst b and rate r is never estimated above b + r (I + q), whatever
   * the phase and whatever the grain q of the peer's clock.
   */
  @Test
  void aStreamThatKeepsToABucketIsNeverEstimatedAboveIt() {
    long fullest = 0;
    for (int round = 0; round < 2_000; round++) {
      long seed = Worlds.SEED + round;
      var random = new SplittableRandom(seed);
      long nanos = 1_000 + random.nextLong(1_000);
      long grain = random.nextBoolean() ? 1 : 1 + random.nextLong(nanos);
      long burst = 1 + random.nextLong(20);
      long most = burst + 1 + random.nextLong(50);
      var clock = new PeerClock(random.nextLong(nanos), 0, grain);
      var peer = new EstimateCounter(new Rate(most, nanos), random.nextLong(nanos));
      // Of a clock without a grain each instant is one of its stamps.
      var bucket = new BucketCounter(new Rate(most - burst, nanos + grain - 1), burst);
      long now = 0;
      for (int i = 0; i < 500; i++) {
        now +=
            switch (random.nextInt(8)) {
              case 0 -> random.nextLong(2 * nanos);
              case 1, 2 -> nanos / (most - burst) + 1;
              default -> random.nextLong(3);
            };
        if (bucket.admits(now, 1)) {
          bucket.count(now, 1);
          long stamp = clock.stamp(now);
          peer.note(stamp, 1);
          peer.count(stamp, 1);
        }
      }
      assertTrue(peer.most() <= most, () -> peer.worst() + ", seed " + seed);
      fullest += peer.most() == most ? 1 : 0;
    }
    long reached = fullest;
    assertTrue(reached > 20, () -> "the bound is reached in " + reached + " worlds only");
  }

  /**
   * A window is not enough: a burst at the end of one window is still there when the next comes.
   */
  @Test
  void aWindowIsEstimatedAsUpToTwiceItsNumber() {
    Counter peer = Counter.of(Rule.parse("estimated(10/1us, phase=0s)"), new Chance(1));
    for (int i = 0; i < 10; i++) {
      peer.note(999, 1);
    }
    for (int i = 0; i < 10; i++) {
      peer.note(1999, 1);
    }
    assertEquals(new Worst(11, 10, 0, 2000), peer.worst());
    Counter late = Counter.of(Rule.parse("estimated(10/1us, phase=0s)"), new Chance(1));
    for (int i = 0; i < 10; i++) {
      late.note(0, 1);
    }
    for (int i = 0; i < 10; i++) {
      late.note(1000, 1);
    }
    assertEquals(new Worst(20, 10, 0, 1001), late.worst());
  }

  @Test
  void buckets() {
    same(
        "bucket(7/1us, burst=5)",
        400,
        3,
        (counted, stamp, cost) -> {
          BigInteger level = BigInteger.valueOf(5 * 1000);
          long last = counted.isEmpty() ? stamp : counted.get(0)[0];
          for (long[] c : counted) {
            BigInteger filled =
                level.add(BigInteger.valueOf(c[0] - last).multiply(BigInteger.valueOf(7)));
            level = filled.min(BigInteger.valueOf(5000)).subtract(BigInteger.valueOf(c[1] * 1000));
            last = c[0];
          }
          BigInteger now =
              level.add(BigInteger.valueOf(stamp - last).multiply(BigInteger.valueOf(7)));
          return now.min(BigInteger.valueOf(5000)).compareTo(BigInteger.valueOf(cost * 1000)) >= 0;
        });
  }

  @Test
  void aBucketAndGcraAreTheSameWhereATokenTakesWholeNanoseconds() {
    var random = new SplittableRandom(Worlds.SEED);
    Counter bucket = new BucketCounter(new Rate(10, 1000), 4);
    Counter gcra = new GcraCounter(new Rate(10, 1000), 4);
    long stamp = 0;
    for (int i = 0; i < 10_000; i++) {
      stamp += random.nextLong(250);
      long cost = 1L + random.nextInt(2);
      assertEquals(bucket.admits(stamp, cost), gcra.admits(stamp, cost), "seed " + Worlds.SEED);
      bucket.note(stamp, cost);
      gcra.note(stamp, cost);
      assertEquals(bucket.worst().most(), gcra.worst().most(), "seed " + Worlds.SEED);
      if (bucket.admits(stamp, cost)) {
        bucket.count(stamp, cost);
        gcra.count(stamp, cost);
      }
    }
  }

  @Test
  void gaps() {
    same(
        "spacing(1us)",
        2000,
        1,
        (counted, stamp, cost) ->
            counted.isEmpty() || stamp - counted.get(counted.size() - 1)[0] >= 1000);
  }

  @Test
  void aConcurrentRuleCountsOpenRequests() {
    Counter counter = Counter.of(Rule.parse("concurrent(2)"), new Chance(1));
    counter.count(0, 1);
    counter.note(0, 1);
    counter.count(0, 1);
    assertEquals(false, counter.admits(5, 1));
    counter.end(1);
    assertEquals(true, counter.admits(5, 1));
    assertEquals(2, counter.worst().most());
  }

  @Test
  void theWorstIsWhatWasAskedForInOneWindow() {
    Counter counter = Counter.of(Rule.parse("fixed(2/1us, phase=0s)"), new Chance(1));
    for (long stamp : new long[] {100, 200, 999, 1000, 1001, 1500, 1999, 2000}) {
      counter.note(stamp, 1);
    }
    assertEquals(new Worst(4, 2, 1000, 2000), counter.worst());
  }
}
