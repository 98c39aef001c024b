package dev.pacegate.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * An SMS bind that takes 30 segments in any second, of texts that have several: the limit that
 * docs/choosing.md names for it. Requests are pipelined, and take up to 40 ms to be counted and as
 * long again to be answered.
 */
class SegmentsTest {

  private static final long SEED = Long.getLong("pacegate.seed", new Random().nextLong());
  private static final long MILLI = 1_000_000;
  private static final String BIND = "peer(30/1s) & spacing(33ms)";

  /** What arrived at the bind, and what was released here. */
  private static final class World {

    private record Arrival(long instant, long segments) {}

    private final ManualTime time = ManualTime.manual();
    private final Random random = new Random(SEED);
    private final Limiter limiter;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<Long> releases = new ArrayList<>();

    World(String limit) {
      this.limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    }

    World send(int texts, LongSupplier segments) {
      for (int i = 0; i < texts; i++) {
        long cost = segments.getAsLong();
        var unused = limiter.acquireAsync(cost).thenAccept(permit -> released(permit, cost));
      }
      while (time.advanceToNext()) {
        assertTrue(releases.size() <= texts, "seed " + SEED);
      }
      assertEquals(texts, arrivals.size(), "seed " + SEED);
      return this;
    }

    private void released(Permit permit, long cost) {
      long now = time.nanoTime();
      releases.add(now);
      long arrival = now + random.nextLong(40 * MILLI);
      time.at(arrival, () -> arrived(permit, new Arrival(arrival, cost)));
    }

    private void arrived(Permit permit, Arrival arrival) {
      arrivals.add(arrival);
      time.at(arrival.instant + random.nextLong(40 * MILLI), permit::answered);
    }

    Verdict verdict() {
      Audit bind = Audit.of(Limits.parse("30/1s"));
      arrivals.sort(Comparator.comparingLong(Arrival::instant));
      arrivals.forEach(arrival -> bind.add(arrival.instant, arrival.segments));
      return bind.verdict();
    }

    long span() {
      return releases.get(releases.size() - 1) - releases.get(0);
    }

    long smallestGap() {
      long smallest = Long.MAX_VALUE;
      for (int i = 1; i < releases.size(); i++) {
        smallest = Math.min(smallest, releases.get(i) - releases.get(i - 1));
      }
      return smallest;
    }
  }

  @Test
  void textsOfThreeSegmentsGoAtTenASecond() {
    World world = new World(BIND).send(201, () -> 3);
    assertTrue(world.verdict().kept(), () -> world.verdict() + ", seed " + SEED);
    double perSecond = 200e9 / world.span();
    assertTrue(perSecond > 9 && perSecond <= 10.5, () -> perSecond + " a second, seed " + SEED);
  }

  @Test
  void theBindTakesTextsOfAnyLength() {
    var random = new Random(SEED);
    World world = new World(BIND).send(500, () -> 1 + random.nextLong(6));
    assertTrue(world.verdict().kept(), () -> world.verdict() + ", seed " + SEED);
    assertTrue(world.smallestGap() >= 33 * MILLI, () -> "seed " + SEED);
  }

  /** The same world without {@code peer}: the audit would find what is too much. */
  @Test
  void aLimitOfStartsIsNotEnoughForIt() {
    assertFalse(new World("30/1s").send(500, () -> 3).verdict().kept(), () -> "seed " + SEED);
  }
}
