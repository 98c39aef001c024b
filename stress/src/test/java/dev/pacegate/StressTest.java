package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything at once in real time, and then: was any limit passed, did a permit get lost, is
 * anybody stuck?
 *
 * <p>The seed of a failure is in its message; {@code -Dpacegate.seed=...} uses it again.
 */
class StressTest {

  /** What a lost permit of a peer's limit stays spent for, at the least. */
  private static final Duration UNANSWERED = Duration.ofMillis(2);

  /**
   * What to do.
   *
   * @param limit the limit
   * @param other what it is changed to and back from: nothing looser
   * @param costs the largest cost
   */
  record Scenario(String limit, String other, long costs, int platform, int virtual) {}

  static List<Scenario> scenarios() {
    return List.of(
        new Scenario("concurrent(1)", "concurrent(1)", 1, 4, 20),
        new Scenario("concurrent(8)", "concurrent(2)", 1, 6, 40),
        new Scenario("concurrent(200)", "concurrent(50)", 1, 6, 100),
        new Scenario("3/1ms", "1/1ms", 1, 6, 20),
        new Scenario("2000/10ms", "1000/10ms", 3, 6, 40),
        new Scenario("bucket(200000/1s, burst=10)", "bucket(100000/1s, burst=10)", 3, 6, 40),
        new Scenario("bucket(1000000/1s)", "bucket(500000/1s)", 1, 6, 40),
        new Scenario(
            "bucket(100000/1s, burst=5, pay=later)",
            "bucket(50000/1s, burst=5, pay=later, debt=20)",
            5,
            6,
            40),
        new Scenario("warmup(100000/1s, over=1ms)", "warmup(50000/1s, over=5ms)", 3, 6, 40),
        new Scenario("spacing(20us)", "spacing(40us)", 1, 6, 20),
        new Scenario("500/5ms & concurrent(4)", "500/5ms & concurrent(2)", 2, 6, 40),
        new Scenario(
            "peer(300/5ms, unanswered=2ms, margin=0s)",
            "peer(200/5ms, unanswered=2ms, margin=0s)",
            2,
            6,
            40),
        new Scenario(
            "peer(bucket(50000/1s, burst=20), unanswered=2ms, margin=0s)",
            "peer(bucket(40000/1s, burst=20), unanswered=2ms, margin=0s)",
            2,
            6,
            40),
        new Scenario(
            "peer(200/2ms & spacing(10us), unanswered=2ms, margin=0s)",
            "peer(100/2ms & spacing(10us), unanswered=2ms, margin=0s)",
            1,
            6,
            20));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void forASecond(Scenario scenario) throws Exception {
    stress(scenario, Duration.ofMillis(900));
  }

  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("scenarios")
  void forLong(Scenario scenario) throws Exception {
    for (int i = 0; i < 10; i++) {
      stress(scenario, Duration.ofSeconds(3));
    }
  }

  private static void stress(Scenario scenario, Duration span) throws Exception {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    var ledger = new Ledger(UNANSWERED.toNanos());
    Limiter limiter =
        Limiter.builder(scenario.limit()).stamped(true).listener(ledger).maxWaiting(1_000).build();
    var crowd = new Crowd(scenario, limiter, ledger, seed);
    try {
      crowd.work(span);
      assertAllWell(scenario, limiter, ledger, crowd);
    } catch (Throwable failure) {
      throw new AssertionError(scenario + ", seed " + seed + ": " + limiter.snapshot(), failure);
    } finally {
      limiter.close();
    }
  }

  private static void assertAllWell(Scenario scenario, Limiter limiter, Ledger ledger, Crowd crowd)
      throws Exception {
    await(() -> limiter.snapshot().waiting() == 0, () -> limiter.snapshot().waiting() + " waiting");
    await(() -> limiter.snapshot().open() == 0, () -> limiter.snapshot().open() + " open");
    Snapshot end = limiter.snapshot();
    await( // which happens after the count
        () -> ledger.released() >= end.granted() && ledger.left() >= end.cancelled(),
        () ->
            "the listener is told of %d of %d granted, %d of %d cancelled"
                .formatted(ledger.released(), end.granted(), ledger.left(), end.cancelled()));
    // A permit that meets a call which has been given up is returned unseen.
    long unseen = end.granted() - ledger.delivered.get() - ledger.jobs.get();
    assertAll(
        () -> assertEquals(end.granted(), ledger.released(), "released"),
        () -> assertEquals(end.cancelled(), ledger.left(), "left"),
        () -> assertTrue(unseen >= 0, () -> -unseen + " delivered more than released"),
        () ->
            assertTrue(
                unseen <= crowd.callsGivenUp.get(),
                () -> unseen + " lost, " + crowd.callsGivenUp + " calls given up"),
        () -> assertEquals(List.of(), ledger.judge(Limits.parse(scenario.limit()))),
        () -> assertAllOfItIsThere(Limits.parse(scenario.limit()), limiter));
  }

  private static void assertAllOfItIsThere(Limit limit, Limiter limiter) throws Exception {
    long all = limit instanceof Concurrent concurrent ? concurrent.max() : 3;
    var held = new ArrayList<Permit>();
    for (int i = 0; i < all; i++) {
      Duration wait = limit instanceof Concurrent ? Duration.ZERO : Crowd.PATIENCE;
      var permit = limiter.tryAcquire(1, wait);
      assertTrue(permit.isPresent(), i + " of " + all + " could be had");
      held.add(permit.get());
      if (!(limit instanceof Concurrent)) {
        permit.get().answered();
      }
    }
    if (limit instanceof Concurrent) {
      assertTrue(limiter.tryAcquire().isEmpty(), "more than " + all + " could be had");
    }
    held.forEach(Permit::answered);
  }

  /** Waits until something has come true, and otherwise tells what is {@code seen} in its place. */
  static void await(BooleanSupplier condition, Supplier<String> seen) throws InterruptedException {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began > Crowd.PATIENCE.toNanos()) {
        throw new AssertionError("still, after " + Crowd.PATIENCE + ": " + seen.get());
      }
      TimeUnit.MILLISECONDS.sleep(1); // not too often: it is another thread that makes it true
    }
  }
}
