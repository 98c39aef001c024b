package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What holds for keys whatever happens, judged by the audit and by counting. */
class KeyLawsTest {

  private static final List<String> LIMITS =
      List.of(
          "3/1ms",
          "bucket(2/1ms, burst=3)",
          "bucket(2/1ms, burst=2, pay=later, debt=3)",
          "warmup(3/1ms, over=2ms)",
          "fixed(3/1ms)",
          "spacing(500us)",
          "concurrent(2)",
          "peer(3/1ms, unanswered=2ms, margin=0ns)",
          "peer(bucket(2/1ms, burst=3), unanswered=2ms, margin=0ns)",
          "5/2ms & concurrent(3)",
          "unlimited");

  private static final int KEYS = 6;

  /** From release to end. */
  private static final class Use {
    final int key;
    final Permit permit;
    final long start;
    long end;

    Use(int key, Permit permit) {
      this.key = key;
      this.permit = permit;
      this.start = permit.releasedAt();
      this.end = Long.MAX_VALUE;
    }
  }

  private static final class World {
    final SplittableRandom random;
    final ManualTime time = ManualTime.manual();
    final Limit perKey;
    final Limit all;
    final KeyedLimiter<Integer> limiter;
    final List<Use> uses = new ArrayList<>(); // in the order of their release
    final List<Use> open = new ArrayList<>();
    final List<CompletableFuture<Permit>> places = new ArrayList<>();

    World(SplittableRandom random) {
      this.random = random;
      this.perKey = Limits.parse(LIMITS.get(random.nextInt(LIMITS.size())));
      this.all = Limits.parse(LIMITS.get(random.nextInt(LIMITS.size())));
      Limiter within =
          Limiter.builder(all).time(time).executor(Runnable::run).stamped(true).build();
      this.limiter = KeyedLimiter.builder(perKey).within(within).build();
    }

    void step() {
      int key = random.nextInt(KEYS);
      switch (random.nextInt(11)) {
        case 0, 1, 2 -> ask(key);
        case 3, 4 -> limiter.tryAcquire(key).ifPresent(permit -> released(key, permit));
        case 5 -> leave();
        case 6, 7 -> endOne();
        case 10 -> steer(limiter.limiter(key));
        default -> time.advanceNanos(random.nextLong(1_500_000));
      }
    }

    private void steer(Limiter one) {
      switch (random.nextInt(6)) {
        case 0 -> one.pause();
        case 1 -> one.pauseFor(Duration.ofNanos(random.nextLong(3_000_000)));
        case 2 -> one.peerRefused(Duration.ofNanos(random.nextLong(3_000_000)));
        default -> one.resume();
      }
    }

    private void ask(int key) {
      CompletableFuture<Permit> place =
          random.nextInt(4) > 0
              ? limiter.acquireAsync(key)
              : limiter
                  .limiter(key)
                  .acquireAsync(Cost.ONE, Duration.ofNanos(random.nextLong(3_000_000)));
      places.add(place);
      var unused = place.thenAccept(permit -> released(key, permit));
    }

    private void released(int key, Permit permit) {
      var use = new Use(key, permit);
      uses.add(use);
      open.add(use);
    }

    private void leave() {
      if (!places.isEmpty()) {
        places.remove(random.nextInt(places.size())).cancel(true);
      }
    }

    private void endOne() {
      if (!open.isEmpty()) {
        end(open.remove(random.nextInt(open.size())));
      }
    }

    private void end(Use use) {
      use.end = time.nanoTime();
      use.permit.answered();
    }

    void finish() {
      for (int key = 0; key < KEYS; key++) {
        limiter.limiter(key).resume();
      }
      for (CompletableFuture<Permit> place : places) {
        place.cancel(true);
      }
      while (!open.isEmpty()) {
        end(open.remove(0));
      }
      time.advance(Duration.ofSeconds(1));
      assertEquals(0, limiter.size(), "all keys are at rest");
      assertEquals(0, limiter.all().snapshot().open());
      assertEquals(0, limiter.all().snapshot().waiting());
      assertEquals(0, time.pending());
    }

    void judge() {
      judge(all, uses);
      for (int key = 0; key < KEYS; key++) {
        int one = key;
        judge(perKey, uses.stream().filter(use -> use.key == one).toList());
      }
    }

    private static void judge(Limit limit, List<Use> uses) {
      var audit = Audit.of(limit);
      uses.forEach(use -> audit.add(use.start, use.end, Cost.ONE));
      assertTrue(audit.report().kept(), () -> limit + ": " + audit.report().text());
    }
  }

  @Test
  void bothLimitsHoldAndInTheEndEverythingIsForgotten() {
    Seeds.forEach(
        300,
        random -> {
          var world = new World(random);
          for (int i = 0; i < 400; i++) {
            world.step();
          }
          world.finish();
          world.judge();
        });
  }

  /**
   * With windows, a request waits only if its key, or all keys together, have used up their limit.
   */
  @Test
  void noWaiterWaitsInVain() {
    Seeds.forEach(
        200,
        random -> {
          var time = ManualTime.manual();
          int perKey = random.nextInt(1, 4);
          int all = random.nextInt(1, 12);
          KeyedLimiter<Integer> limiter =
              KeyedLimiter.builder(perKey + "/1us")
                  .within(
                      Limiter.builder(all + "/1us")
                          .time(time)
                          .executor(Runnable::run)
                          .stamped(true)
                          .build())
                  .build();
          var released = new ArrayList<long[]>(); // key, instant
          var waiting = new TreeMap<Integer, Integer>();
          for (int step = 0; step < 300; step++) {
            if (random.nextInt(3) > 0) {
              int key = random.nextInt(5);
              waiting.merge(key, 1, Integer::sum);
              var unused =
                  limiter
                      .acquireAsync(key)
                      .thenAccept(
                          permit -> {
                            released.add(new long[] {key, permit.releasedAt()});
                            waiting.merge(key, -1, Integer::sum);
                          });
            } else {
              time.advanceNanos(random.nextLong(700));
            }
            long now = time.nanoTime();
            List<long[]> recent = released.stream().filter(r -> now - r[1] < 1_000).toList();
            waiting.forEach(
                (key, count) -> {
                  long ofKey = recent.stream().filter(r -> r[0] == key).count();
                  assertFalse(
                      count > 0 && ofKey < perKey && recent.size() < all,
                      () -> "key " + key + " waits in vain");
                });
          }
        });
  }
}
