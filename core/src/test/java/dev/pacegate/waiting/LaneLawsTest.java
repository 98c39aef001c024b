package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What holds for lanes whatever happens, judged by counting: nothing here knows of pools or turns.
 */
class LaneLawsTest {

  private static final long INTERVAL = 1_000;

  /** A release of cost 1. */
  private record Release(long instant, int lane) {}

  /** A window of so many in 1000 ns, with lanes that reserve so many of them; lane 0 none. */
  private static final class World {
    final SplittableRandom random;
    final ManualTime time = ManualTime.manual();
    final int max;
    final int[] reserved;
    final Limiter limiter;
    final List<Limiter> lanes = new ArrayList<>();
    final List<List<CompletableFuture<Permit>>> waiting = new ArrayList<>();
    final List<Release> releases = new ArrayList<>();

    World(SplittableRandom random) {
      this.random = random;
      this.max = random.nextInt(4, 30);
      this.reserved = new int[random.nextInt(1, 5)];
      Limiter.Builder builder =
          Limiter.builder(Limits.atMost(max).inAny(Duration.ofNanos(INTERVAL)))
              .time(time)
              .stamped(true)
              .executor(Runnable::run);
      boolean reserves = random.nextBoolean();
      for (int i = 1; i < reserved.length; i++) {
        int percent = reserves && random.nextInt(3) > 0 ? 100 / max + 1 : 0;
        reserved[i] = max * percent / 100;
        builder.lane("lane" + i, new Share(random.nextInt(1, 5), percent));
      }
      this.limiter = builder.build();
      for (int i = 0; i < reserved.length; i++) {
        lanes.add(i == 0 ? limiter : limiter.lane("lane" + i));
        waiting.add(new ArrayList<>());
      }
    }

    void step() {
      int lane = random.nextInt(lanes.size());
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> ask(lane);
        case 3 -> lanes.get(lane).tryAcquire().ifPresent(permit -> released(permit, lane));
        case 4 -> leave(lane);
        default -> time.advanceNanos(random.nextLong(INTERVAL / 2));
      }
      noWaiterWaitsInVain();
    }

    private void ask(int lane) {
      CompletableFuture<Permit> place = lanes.get(lane).acquireAsync();
      waiting.get(lane).add(place);
      var unused = place.thenAccept(permit -> released(permit, lane));
    }

    private void released(Permit permit, int lane) {
      releases.add(new Release(permit.releasedAt(), lane));
    }

    private void leave(int lane) {
      List<CompletableFuture<Permit>> places = waiting.get(lane);
      if (!places.isEmpty()) {
        places.get(random.nextInt(places.size())).cancel(true);
      }
    }

    /** No request waits while there is room for it in the common rest, or in its reserved share. */
    void noWaiterWaitsInVain() {
      waiting.forEach(places -> places.removeIf(CompletableFuture::isDone));
      long[] counts = new long[lanes.size()];
      long all = 0;
      for (Release release : releases) {
        if (time.nanoTime() - release.instant < INTERVAL) {
          counts[release.lane]++;
          all++;
        }
      }
      for (int i = 0; i < lanes.size(); i++) {
        if (!waiting.get(i).isEmpty()) {
          boolean reserveLeft = reserved[i] > counts[i];
          assertFalse(all < max && reserveLeft, "lane " + i + " waits for what it has reserved");
          assertFalse(all < max && notReserved(counts) > 0, "lane " + i + " waits in vain");
        }
      }
    }

    /** A lower bound of what is left for all, as if nothing had come from what is reserved. */
    private long notReserved(long[] counts) {
      long left = max;
      for (int i = 0; i < lanes.size(); i++) {
        left -= reserved[i] + counts[i];
      }
      return left;
    }

    void judge() {
      var audit = Audit.of(limiter.limit());
      releases.forEach(release -> audit.add(release.instant));
      assertTrue(audit.report().kept(), () -> audit.report().text());
      for (int i = 1; i < lanes.size(); i++) {
        if (reserved[i] > 0) {
          othersLeave(i);
        }
      }
    }

    /** However they come, the others never take more than what is not reserved for this lane. */
    private void othersLeave(int lane) {
      Limit rest = Limits.atMost(max - reserved[lane]).inAny(Duration.ofNanos(INTERVAL));
      var audit = Audit.of(rest);
      releases.stream()
          .filter(release -> release.lane != lane)
          .forEach(release -> audit.add(release.instant));
      assertTrue(audit.report().kept(), () -> audit.report().text());
    }

    void end() {
      for (int i = 0; i < 10_000 && limiter.snapshot().waiting() > 0; i++) {
        time.advanceNanos(INTERVAL);
      }
      assertEquals(0, limiter.snapshot().waiting());
      assertEquals(0, time.pending());
      assertTrue(waiting.stream().allMatch(w -> w.stream().allMatch(CompletableFuture::isDone)));
    }
  }

  @Test
  void theLimitHoldsReservedSharesAreKeptAndNoWaiterWaitsInVain() {
    Seeds.forEach(
        300,
        random -> {
          var world = new World(random);
          for (int i = 0; i < 300; i++) {
            world.step();
          }
          world.judge();
          world.end();
        });
  }

  /** The bound of start-time fair queueing, for lanes that always have a waiter. */
  @Test
  void noLaneGetsAheadByMoreThanOneRequestOfEach() {
    Seeds.forEach(
        100,
        random -> {
          var time = ManualTime.manual();
          int lanes = random.nextInt(2, 5);
          int[] weights = random.ints(lanes, 1, 8).toArray();
          Limiter.Builder builder =
              Limiter.builder("bucket(10/1us, burst=20)").time(time).executor(Runnable::run);
          for (int i = 0; i < lanes; i++) {
            builder.lane("lane" + i, Share.weight(weights[i]));
          }
          Limiter limiter = builder.build();
          long[] served = new long[lanes];
          long[] waits = new long[lanes];
          for (int n = 0; n < 400; n++) {
            for (int i = 0; i < lanes; i++) {
              int lane = i;
              long cost = random.nextInt(1, 10);
              waits[lane]++;
              var unused =
                  limiter
                      .lane("lane" + i)
                      .acquireAsync(cost)
                      .thenRun(
                          () -> {
                            served[lane] += cost;
                            waits[lane]--;
                          });
            }
          }
          long[] before = served.clone(); // the first lane had the bucket for itself at first
          while (allWait(waits)) {
            time.advanceNanos(100);
            for (int i = 1; i < lanes; i++) {
              double ahead =
                  (served[i] - before[i]) / (double) weights[i]
                      - (served[0] - before[0]) / (double) weights[0];
              double bound = 2 * (10.0 / weights[i] + 10.0 / weights[0]);
              assertTrue(Math.abs(ahead) <= bound, "lane " + i + " is ahead by " + ahead);
            }
          }
        });
  }

  private static boolean allWait(long[] waits) {
    for (long wait : waits) {
      if (wait == 0) {
        return false;
      }
    }
    return true;
  }
}
