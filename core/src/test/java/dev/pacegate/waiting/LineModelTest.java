package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Changes;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A line before a limiter, beside the plainest one: each asks the meter when it is first. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in what has gone
class LineModelTest {

  private static final List<String> LIMITS =
      List.of(
          "bucket(1/10ns, burst=3, pay=later, debt=5)",
          "bucket(3/10ns, burst=2, pay=later, debt=20, slack=7ns)",
          "bucket(1/10ns, pay=later, debt=9, initial=empty)",
          "warmup(1/10ns, over=100ns)",
          "warmup(3/10ns, over=40ns, cold=10, slack=5ns)",
          "bucket(1/5ns, burst=4) & warmup(1/9ns, over=100ns)",
          "bucket(1/9ns, burst=4, pay=later) & 5/50ns",
          "bucket(1/10ns, burst=3)",
          "fixed(3/30ns)",
          "5/50ns");

  /** A limiter and the model of its line, a nanosecond at a time. */
  private static final class World {
    private record Waiting(int id, Cost cost, long arrived, long foretold) {}

    final SplittableRandom random;
    final ManualTime time = ManualTime.manual();
    final StringBuilder log = new StringBuilder();
    final Limiter limiter;
    final ArrayDeque<Waiting> line = new ArrayDeque<>();
    final List<String> expected = new ArrayList<>();
    final List<String> gone = new ArrayList<>();
    Meter meter;
    private String limit;
    long since; // when the first in the queue became the first
    boolean paused;
    boolean changed;
    int asked;

    World(SplittableRandom random) {
      this.random = random;
      limit = anyLimit();
      this.limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
      this.meter = Limits.parse(limit).newMeter(0);
    }

    String anyLimit() {
      String limit = LIMITS.get(random.nextInt(LIMITS.size()));
      log.append(limit);
      return limit;
    }

    void run(boolean changes) {
      for (int now = 0; now < 400; now++) {
        serve();
        for (int i = random.nextInt(4) == 0 ? random.nextInt(1, 5) : 0; i > 0; i--) {
          act(changes ? random.nextInt(20) : 2);
          serve();
        }
        time.advanceNanos(1);
      }
    }

    long now() {
      return time.nanoTime();
    }

    private void serve() {
      while (!paused && !line.isEmpty() && wait(since, line.element().cost) == 0) {
        Waiting first = line.remove();
        meter.release(since, now(), first.cost);
        expected.add(first.id + "@" + now());
        long waited = now() - first.arrived;
        assertTrue(changed || first.foretold <= waited, () -> log + ": " + first);
        since = now();
      }
      assertEquals(expected, gone, () -> log + " at " + now());
    }

    private long wait(long since, Cost cost) {
      return meter.nanosUntil(since, now(), cost);
    }

    private void act(int kind) {
      log.append(' ').append(now());
      if (kind == 0) {
        changed = true;
        String next = anyLimit();
        limiter.setLimit(next);
        if (!next.equals(limit)) {
          meter = Changes.change(limit, meter, next, now(), 0);
        }
        limit = next;
      } else if (kind == 1) {
        changed = true;
        pauseOrResume();
      } else {
        ask(Cost.of(random.nextInt(3) > 0 ? 1 : random.nextInt(0, 4)));
      }
    }

    private void pauseOrResume() {
      log.append("pause or resume");
      paused = !paused;
      if (paused) {
        limiter.pause();
      } else {
        limiter.resume();
      }
    }

    private void ask(Cost cost) {
      log.append('?').append(cost);
      if (random.nextInt(4) == 0) {
        boolean goes = !paused && line.isEmpty() && wait(now(), cost) == 0;
        assertEquals(goes, limiter.tryAcquire(cost).isPresent(), () -> log + " at once");
        if (goes) {
          meter.release(now(), now(), cost);
        }
        return;
      }
      int id = asked++;
      since = line.isEmpty() ? now() : since;
      line.add(new Waiting(id, cost, now(), limiter.estimateWait(cost).toNanos()));
      limiter.acquireAsync(cost).thenRun(() -> gone.add(id + "@" + now()));
    }
  }

  @Test
  void everybodyGoesInOrderWhenTheMeterSays() {
    Seeds.forEach(1000, random -> new World(random).run(false));
  }

  @Test
  void alsoWhenTheLimitChangesOrIsPaused() {
    Seeds.forEach(1000, random -> new World(random).run(true));
  }

  /**
   * Threads of executors that come when they like: promise, progress, and no waiter called in vain.
   */
  @Test
  void aThreadThatComesLateBreaksNothing() {
    Seeds.forEach(1000, LineModelTest::comeLate);
  }

  private static void comeLate(SplittableRandom random) {
    var world = new World(random);
    var audit = Audit.of(world.limiter.limit());
    var busy = new ArrayList<Runnable>();
    int asked = 0;
    var done = new ArrayList<Cost>();
    for (int now = 1; now < 3000 && (now < 300 || done.size() < asked); now++) {
      world.time.advanceNanos(1);
      if (now < 300 && random.nextInt(5) == 0) {
        Cost cost = Cost.of(random.nextInt(3) > 0 ? 1 : random.nextInt(1, 4));
        asked++;
        Runnable go =
            () -> {
              done.add(cost);
              audit.add(world.now(), cost);
            };
        if (random.nextBoolean()) {
          world.limiter.acquireAsync(cost, busy::add, permit -> go.run());
        } else {
          world.limiter.acquireAsync(cost).thenRun(go);
        }
      }
      while (!busy.isEmpty() && random.nextInt(4) == 0) {
        busy.remove(random.nextInt(busy.size())).run();
      }
    }
    assertEquals(asked, done.size(), () -> world.log + ": a request waits for ever");
    assertTrue(audit.report().kept(), () -> world.log + audit.report().text());
  }
}
