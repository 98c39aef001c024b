package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls of a limiter and of its twin, which reads the clock at every end. */
class UndatedTwinsTest {

  /** One request, made of both: a permit, or a wait for one. */
  private record Pair(CompletableFuture<Permit> quick, CompletableFuture<Permit> dated) {

    static Pair of(Permit quick, Permit dated) {
      return new Pair(
          CompletableFuture.completedFuture(quick), CompletableFuture.completedFuture(dated));
    }

    void end(int kind) {
      for (CompletableFuture<Permit> each : List.of(quick, dated)) {
        if (kind == 0) {
          each.join().notSent();
        } else if (kind == 1) {
          each.join().lost();
        } else {
          each.join().answered();
        }
      }
    }
  }

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ManualTime time = ManualTime.manual();
  private final List<Pair> open = new ArrayList<>();
  private final List<Pair> waiting = new ArrayList<>();

  @BeforeEach
  void printSeed() {
    System.out.println("pacegate.seed=" + seed);
  }

  private Limiter limiter(Limit limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private void endOne() {
    if (!open.isEmpty()) {
      open.remove(random.nextInt(open.size())).end(random.nextInt(12));
    }
  }

  private Cost cost() {
    return random.nextInt(4) > 0 ? Cost.ONE : Cost.of(random.nextInt(2));
  }

  // ---- limits whose ends are exact

  @ParameterizedTest
  @ValueSource(
      strings = {
        "concurrent(1)",
        "concurrent(5)",
        "peer(4/1s, unanswered=2s)",
        "peer(63/1s)",
        "concurrent(12) & 7/1s",
        "concurrent(3) & peer(63/1s) & spacing(10ms)",
        "peer(2047/1s)",
      })
  void twinsOfAnExactLimitAgree(String text) {
    Limit limit = Limits.parse(text);
    Limiter quick = limiter(limit);
    Limiter dated = limiter(new DatedLimit(limit));
    for (int i = 0; i < 4_000; i++) {
      step(quick, dated);
      waiting.removeIf(this::isServed);
      if (random.nextInt(3) == 0) {
        Cost cost = cost();
        assertEquals(dated.estimateWait(cost), quick.estimateWait(cost));
      }
      if (random.nextInt(20) == 0) {
        assertEquals(text(dated.snapshot()), text(quick.snapshot()));
      }
    }
    restAndCompare(quick, dated);
  }

  private void step(Limiter quick, Limiter dated) {
    int kind = random.nextInt(10);
    if (kind < 2) {
      time.advanceNanos(random.nextInt(60_000_000));
    } else if (kind < 5) {
      Cost cost = cost();
      Optional<Permit> permit = quick.tryAcquire(cost);
      Optional<Permit> twin = dated.tryAcquire(cost);
      assertEquals(twin.isPresent(), permit.isPresent());
      permit.ifPresent(one -> open.add(Pair.of(one, twin.orElseThrow())));
    } else if (kind == 5 && waiting.size() < 5) {
      Cost cost = cost();
      waiting.add(new Pair(quick.acquireAsync(cost), dated.acquireAsync(cost)));
    } else {
      endOne();
    }
  }

  private boolean isServed(Pair pair) {
    assertEquals(pair.dated.isDone(), pair.quick.isDone());
    return pair.quick.isDone() && open.add(pair);
  }

  private static String text(Snapshot snapshot) {
    return List.of(
            snapshot.granted(),
            snapshot.open(),
            snapshot.waiting(),
            snapshot.lost(),
            snapshot.most().stream().map(Snapshot.Most::count).toList())
        .toString();
  }

  private void restAndCompare(Limiter quick, Limiter dated) {
    while (!open.isEmpty() || !waiting.isEmpty()) {
      time.advanceNanos(10_000_000);
      endOne();
      waiting.removeIf(this::isServed);
    }
    for (Limiter each : List.of(quick, dated)) {
      assertEquals(0, each.snapshot().open());
      assertEquals(0, each.snapshot().waiting());
    }
    assertEquals(dated.estimateWait(1), quick.estimateWait(1));
  }

  // ---- limits of so many units that a few may be late

  @ParameterizedTest
  @CsvSource({
    "2048, 1, 'peer(2048/1s, margin=0s)'",
    "6200, 3, 'peer(6200/1s, unanswered=2s, margin=0s)'",
    "50000, 8, 'peer(50000/1s, margin=0s) & concurrent(60000)'",
  })
  void theTwinOfALargeLimitIsBehindByAFewUnits(long max, long most, String text) {
    Limit limit = Limits.parse(text);
    Limiter quick = limiter(limit);
    Limiter dated = limiter(new DatedLimit(limit));
    for (int i = 0; i < 4_000; i++) {
      int kind = random.nextInt(20);
      if (kind < 3) { // grains of one run, a thousandth, are never left open
        time.advanceNanos(10_000_000L * (1 + random.nextInt(6)));
      } else if (kind == 3) {
        isBehindByAtMost(most, max, quick, dated);
      } else if (kind < 12) {
        Cost cost = kind < 7 ? Cost.of(random.nextLong(max / 3)) : Cost.ONE;
        Optional<Permit> permit = quick.tryAcquire(cost);
        Optional<Permit> twin = dated.tryAcquire(cost);
        assertTrue(twin.isPresent() || permit.isEmpty(), "the quick one lets too much through");
        if (permit.isPresent()) {
          open.add(Pair.of(permit.get(), twin.orElseThrow()));
        } else {
          twin.ifPresent(Permit::notSent);
        }
      } else {
        endOne();
      }
    }
    while (!open.isEmpty()) {
      endOne();
    }
    assertEquals(0, quick.snapshot().open());
    time.advanceNanos(20_000_000_000L);
    isBehindByAtMost(0, max, quick, dated);
  }

  private static void isBehindByAtMost(long most, long max, Limiter quick, Limiter dated) {
    long free = free(dated, max);
    long behind = free - free(quick, max);
    assertTrue(behind >= 0 && behind <= most, behind + " of " + free + " behind");
  }

  private static long free(Limiter limiter, long max) {
    Optional<Permit> permit = limiter.tryAcquireUpTo(max);
    permit.ifPresent(Permit::notSent);
    return permit.map(one -> one.cost().amount()).orElse(0L);
  }
}
