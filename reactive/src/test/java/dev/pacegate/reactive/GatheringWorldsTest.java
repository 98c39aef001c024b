package dev.pacegate.reactive;

import static dev.pacegate.reactive.Rig.interval;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Random worlds; a failure prints the seed of its world. */
class GatheringWorldsTest {

  private static final int WORLDS = 1_000;
  private static final int STEPS = 120;
  private static final int NO_BOUND = Integer.MAX_VALUE;

  private final long first = System.nanoTime();

  @Test
  void batchesAreThoseOfTheNaiveModel() {
    for (long seed = first; seed < first + WORLDS; seed++) {
      var random = new Random(seed);
      int gap = 1 + random.nextInt(50);
      int linger = random.nextBoolean() ? 0 : 1 + random.nextInt(60);
      int maxCount = 1 + random.nextInt(6);
      int maxWeight = random.nextBoolean() ? NO_BOUND : 1 + random.nextInt(20);
      boolean eager = random.nextInt(4) > 0;
      ManualTime time = ManualTime.manual();
      Batching<Integer> batching = Batching.<Integer>ofAtMost(maxCount).weighing(maxWeight, i -> i);
      if (linger > 0) {
        batching = batching.linger(interval(time, linger));
      }
      Operator<Integer, List<Integer>> operator =
          Pace.pacedBatches(interval(time, gap).eager(eager), batching);
      var model = new NaiveGathering(gap, linger, maxCount, maxWeight, eager);
      check(seed, random, new Rig<>(time, operator, 0), model, gap);
    }
  }

  @Test
  void windowsAreThoseOfTheNaiveModel() {
    for (long seed = first; seed < first + WORLDS; seed++) {
      var random = new Random(seed);
      int gap = 1 + random.nextInt(50);
      boolean eager = random.nextBoolean();
      ManualTime time = ManualTime.manual();
      Operator<Integer, List<Integer>> operator =
          Pace.window(
              interval(time, gap).eager(eager),
              List::of,
              (all, next) -> Stream.concat(all.stream(), Stream.of(next)).toList());
      var model = new NaiveGathering(gap, 0, NO_BOUND, NO_BOUND, eager);
      check(seed, random, new Rig<>(time, operator, 0), model, gap);
    }
  }

  private static void check(
      long seed, Random random, Rig<Integer, List<Integer>> rig, NaiveGathering model, int gap) {
    String world = "seed " + seed;
    var sent = new ArrayList<Integer>();
    long millis = 0;
    for (int step = 0; step < STEPS; step++) {
      int dice = random.nextInt(10);
      if (dice < 5 && rig.source.requested.get() > 0) {
        int element = random.nextInt(12);
        sent.add(element);
        rig.send(element);
        model.send(element);
      } else if (dice < 7) {
        int n = 1 + random.nextInt(3);
        rig.sink.subscription.request(n);
        model.request(n);
      } else {
        millis = pass(rig, model, millis, random.nextInt(40));
      }
      assertEquals(model.passed, rig.sink.elements, world);
    }
    rig.source.complete();
    model.complete();
    rig.sink.subscription.request(1_000);
    model.request(1_000);
    pass(rig, model, millis, sent.size() * (gap + 1));
    assertEquals(model.passed, rig.sink.elements, world);
    assertEquals(model.instants, rig.sink.millis(), world);
    assertEquals(sent, rig.sink.elements.stream().flatMap(List::stream).toList(), world);
    assertTrue(model.completed && rig.sink.completed, world);
    var audit = Audit.of(Limits.spacing(Duration.ofMillis(gap)));
    rig.sink.instants.forEach(audit::add);
    assertTrue(audit.report().kept(), world);
    rig.assertNothingLeft();
  }

  private static long pass(Rig<?, ?> rig, NaiveGathering model, long from, int span) {
    for (long at = from + 1; at <= from + span; at++) {
      model.at(at);
    }
    rig.pass(span);
    return from + span;
  }

  /** Nothing is passed on twice or out of order, and nothing but the newest. */
  @Test
  void theLatestIsAlwaysTheNewest() {
    for (long seed = first; seed < first + WORLDS; seed++) {
      String world = "seed " + seed;
      var random = new Random(seed);
      ManualTime time = ManualTime.manual();
      Limiter limiter = Rig.limiter(time, random.nextBoolean() ? "3/50ms" : "spacing(20ms)");
      var sink = new Kept<Integer>(time, 0);
      var rig = new Rig<>(time, Pace.<Integer>throttleLatest(limiter), sink);
      int[] sent = {0};
      sink.then = element -> assertEquals(sent[0], element, world);
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(4)) {
          case 0 -> sink.subscription.request(1);
          case 1 -> rig.pass(random.nextInt(30));
          default -> rig.send(++sent[0]);
        }
        assertEquals(sink.elements.stream().sorted().distinct().toList(), sink.elements, world);
      }
      end(random.nextInt(3), rig, limiter, world);
      var audit = Audit.of(limiter.limit());
      sink.instants.forEach(audit::add);
      assertTrue(audit.report().kept(), world);
      assertEquals(sink.elements.size(), limiter.snapshot().granted(), world);
    }
  }

  private static void end(int how, Rig<Integer, Integer> rig, Limiter limiter, String world) {
    switch (how) {
      case 0 -> rig.sink.subscription.cancel();
      case 1 -> rig.source.fail(new RuntimeException(world));
      default -> {
        rig.source.complete();
        rig.sink.subscription.request(1);
        rig.pass(100);
        assertTrue(rig.sink.completed, world);
      }
    }
    rig.assertNothingLeft(limiter);
  }

  @Test
  void pulsesLoseNothingAndAreAnIntervalApart() {
    for (long seed = first; seed < first + WORLDS; seed++) {
      String world = "seed " + seed;
      var random = new Random(seed);
      ManualTime time = ManualTime.manual();
      int gap = 1 + random.nextInt(30);
      Interval interval = interval(time, gap).eager(random.nextBoolean());
      var rig = new Rig<>(time, Pace.<Integer>pulse(interval), 0);
      var sent = new ArrayList<Integer>();
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(3)) {
          case 0 -> rig.sink.subscription.request(1);
          case 1 -> rig.pass(random.nextInt(30));
          default -> {
            assertTrue(rig.source.requested.get() <= 1, world);
            if (rig.source.requested.get() > 0) {
              sent.add(step);
              rig.send(step);
            }
          }
        }
        assertEquals(sent, rig.sink.elements, "at once, " + world);
      }
      rig.source.complete();
      assertTrue(rig.sink.completed, world);
      rig.assertNothingLeft();
      var audit = Audit.of(Limits.spacing(Duration.ofMillis(gap)));
      rig.sink.instants.forEach(audit::add);
      assertTrue(audit.report().kept(), world);
    }
  }
}
