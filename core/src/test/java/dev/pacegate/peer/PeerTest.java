package dev.pacegate.peer;

import static dev.pacegate.peer.PeerWorld.MILLI;
import static dev.pacegate.peer.PeerWorld.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the peer counts, under the delays, stalls and losses of {@link PeerWorld}. */
@Tag("slow")
class PeerTest {

  private static final int M = 50;
  private static final int BURST = 20;
  private static final long RATE = 100;
  private static final Duration UNANSWERED = Duration.ofSeconds(2);
  private static final long SEED = Long.getLong("pacegate.seed", 20_261_120);

  private static Limit limit(String text) {
    return Limits.parse(text);
  }

  private static PeerWorld world(Limit limit, int sends, Consumer<Permit> onTimeOut) {
    return new PeerWorld(limit, UNANSWERED.toNanos(), sends, SEED, onTimeOut);
  }

  @Test
  void aPeerWithASlidingWindowNeverCountsTooMany() {
    PeerWorld world = world(limit("peer(50/1s, unanswered=2s)"), 1_000_000, Permit::lost);
    long[] counted = world.run();
    assertEquals(0, overLimit(counted, M, SECOND), () -> "seed " + SEED);
    double possible = M / ((1.001 * SECOND + MILLI + world.meanOccupied()) / SECOND);
    double share = world.throughput() / possible;
    assertTrue(share > 0.98 && share < 1.001, () -> "share " + share + ", seed " + SEED);
    assertEquals(0, world.leftOver());
  }

  @Test
  void aPeerWithFixedWindowsOfAnyPhaseNeverCountsTooMany() {
    long[] counted = world(limit("peer(50/1s, unanswered=2s)"), 200_000, Permit::lost).run();
    var random = new Random(SEED);
    for (int i = 0; i < 200; i++) {
      long phase = (long) (random.nextDouble() * SECOND);
      assertTrue(fullest(counted, phase) <= M, () -> "phase " + phase + ", seed " + SEED);
    }
  }

  @Test
  void aPeerWithABucketNeverRefuses() {
    PeerWorld world =
        world(limit("peer(bucket(100/1s, burst=20), unanswered=2s)"), 1_000_000, Permit::lost);
    assertEquals(0, refusedByBucket(world.run()), () -> "seed " + SEED);
    double possible = Math.min(RATE / 1.001, BURST / (world.meanOccupied() / SECOND));
    double share = world.throughput() / possible;
    assertTrue(share > 0.9 && share < 1.001, () -> "share " + share + ", seed " + SEED);
    assertEquals(0, world.leftOver());
  }

  @Test
  void aPeerWhoseBucketIsKnownToBeFullNeverRefuses() {
    String text = "peer(bucket(100/1s, burst=20, initial=full), unanswered=2s)";
    PeerWorld world = world(limit(text), 100_000, Permit::lost);
    assertEquals(0, refusedByBucket(world.run()), () -> "seed " + SEED);
  }

  @Test
  void aPeerThatWantsAGapGetsIt() {
    PeerWorld world = world(limit("peer(spacing(20ms), unanswered=2s)"), 100_000, Permit::lost);
    assertEquals(0, overLimit(world.run(), 1, 20 * MILLI), () -> "seed " + SEED);
    assertEquals(0, world.leftOver());
  }

  @Test
  void severalLimitsHoldTogether() {
    long[] counted =
        world(limit("peer(50/1s & 200/10s, unanswered=2s)"), 100_000, Permit::lost).run();
    assertEquals(0, overLimit(counted, M, SECOND), () -> "seed " + SEED);
    assertEquals(0, overLimit(counted, 200, 10 * SECOND), () -> "seed " + SEED);
  }

  // The same worlds, each with one thing left out of what makes the promise hold.

  @Test
  void withoutTheAnchorThePeerCountsTooMany() {
    long[] counted = world(limit("50/1s"), 100_000, Permit::lost).run();
    assertTrue(overLimit(counted, M, SECOND) > 0);
  }

  @Test
  void withPermitsClosedOnTimeOutThePeerCountsTooMany() {
    long[] counted = world(limit("peer(50/1s, unanswered=2s)"), 100_000, Permit::answered).run();
    assertTrue(overLimit(counted, M, SECOND) > 0);
  }

  @Test
  void withoutTheCapOnTheShadowBucketThePeerRefuses() {
    long[] counted =
        world(limit("bucket(100/1001ms, burst=20, initial=full)"), 100_000, Permit::lost).run();
    assertTrue(refusedByBucket(counted) > 0);
  }

  /** Counts those who came while the window before them was full. */
  private static int overLimit(long[] counted, int max, long interval) {
    int over = 0;
    for (int i = max; i < counted.length; i++) {
      if (counted[i] - counted[i - max] < interval) {
        over++;
      }
    }
    return over;
  }

  private static int fullest(long[] counted, long phase) {
    int fullest = 0;
    int inWindow = 0;
    long window = Long.MIN_VALUE;
    for (long instant : counted) {
      long its = Math.floorDiv(instant - phase, SECOND);
      inWindow = its == window ? inWindow + 1 : 1;
      window = its;
      fullest = Math.max(fullest, inWindow);
    }
    return fullest;
  }

  /** The peer's own bucket, full when the first request comes, in billionths of a permit. */
  private static int refusedByBucket(long[] counted) {
    long full = BURST * SECOND;
    long level = full;
    long last = counted[0];
    int refused = 0;
    for (long instant : counted) {
      level = Math.min(full, level + (instant - last) * RATE);
      last = instant;
      if (level < SECOND) {
        refused++;
      } else {
        level -= SECOND;
      }
    }
    return refused;
  }
}
