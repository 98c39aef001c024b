package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** As much of a batch as may go now. */
class UpToTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private static long upTo(Limiter limiter, long max) {
    return limiter.tryAcquireUpTo(max).map(permit -> permit.cost().amount()).orElse(0L);
  }

  @Test
  void asMuchAsIsLeftAndThenNothing() {
    Limiter limiter = limiter("10/1m");
    assertEquals(4, upTo(limiter, 4));
    assertEquals(6, upTo(limiter, 500));
    assertEquals(0, upTo(limiter, 500));
    assertEquals(2, limiter.snapshot().granted());
    assertEquals(1, limiter.snapshot().refused());
    time.advance(Duration.ofMinutes(1));
    assertEquals(10, upTo(limiter, Long.MAX_VALUE));
  }

  @Test
  void anUnlimitedCostGoesWhole() {
    assertEquals(Long.MAX_VALUE, upTo(limiter("unlimited"), Long.MAX_VALUE));
  }

  @Test
  void aCostThatIsNotCountedIsRefusedUnlessItIsOne() {
    Limiter limiter = limiter("concurrent(1)");
    assertThrows(IllegalArgumentException.class, () -> upTo(limiter, 500));
    assertEquals(1, upTo(limiter, 1));
  }

  @Test
  void itIsOneCall() {
    Limiter limiter = limiter("10/1m & concurrent(1)");
    Permit permit = limiter.tryAcquireUpTo(3).orElseThrow();
    assertEquals(0, upTo(limiter, 3));
    permit.answered();
    assertEquals(7, upTo(limiter, 30));
  }

  @Test
  void noWaiterIsOvertaken() {
    Limiter limiter = limiter("10/1m");
    var unused = limiter.tryAcquire(8);
    var waits = limiter.acquireAsync(5);
    assertEquals(0, upTo(limiter, 500));
    assertTrue(waits.cancel(false));
    assertEquals(2, upTo(limiter, 500));
    assertFalse(limiter.tryAcquire().isPresent());
  }

  @Test
  void nothingWhilePausedAndAllWhileOnlyObserved() {
    Limiter limiter = limiter("10/1m");
    limiter.pause();
    assertEquals(0, upTo(limiter, 500));
    limiter.resume();
    limiter.dryRun(true);
    assertEquals(500, upTo(limiter, 500));
  }

  @Test
  void lanesHaveTheirShares() {
    Limiter limiter =
        Limiter.builder("10/1m")
            .time(time)
            .lane("urgent", Share.weight(1).reserving(20))
            .executor(Runnable::run)
            .build();
    assertEquals(8, upTo(limiter, 500));
    assertEquals(2, upTo(limiter.lane("urgent"), 500));
  }

  @Test
  void badMaximaAndClosedLimitersAreRefused() {
    Limiter limiter = limiter("10/1m");
    var bad = assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquireUpTo(0));
    assertEquals("max must be at least 1: 0", bad.getMessage());
    limiter.close();
    assertThrows(LimiterClosedException.class, () -> limiter.tryAcquireUpTo(1));
  }

  /** What it lets through is what the meter allows, and one more is not. */
  @Test
  void neverMoreAndNeverLess() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    for (String text :
        List.of(
            "7/1s",
            "bucket(5/1s, burst=9)",
            "bucket(5/1s, burst=9, pay=later, debt=6)",
            "peer(9/1s, margin=0s)",
            "warmup(5/1s, over=3s)",
            "9/1s & 20/5s & bucket(8/1s, burst=8)",
            "9/1s of other & 5/1s")) {
      Limit limit = Limits.parse(text);
      var meter = limit.newMeter(time.nanoTime());
      Limiter limiter = limiter(text);
      long start = time.nanoTime();
      for (int i = 0; i < 300; i++) {
        long max = 1L + random.nextInt(15);
        long now = time.nanoTime() - start;
        OptionalLong most =
            LongStream.rangeClosed(1, max)
                .filter(k -> meter.nanosUntil(start + now, start + now, cost(k)) == 0)
                .max();
        Optional<Permit> permit = limiter.tryAcquireUpTo(max);
        assertEquals(most.orElse(0), permit.map(p -> p.cost().amount()).orElse(0L), text);
        if (permit.isPresent()) {
          meter.release(start + now, start + now, permit.get().cost());
          permit.get().answered();
          if (meter.tracks()) {
            meter.end(start + now, start + now, permit.get().cost(), Outcome.ANSWERED);
          }
        }
        time.advanceNanos(random.nextInt(600_000_000));
      }
    }
  }

  private static Cost cost(long amount) {
    return Cost.of(amount);
  }
}
