package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.PlainMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Timers are late. What a limiter records is when a request really went. */
class LatenessTest {

  private static final int MAX = 3;
  private static final long INTERVAL = 1_000_000_000L;
  private static final long SEED = Long.getLong("pacegate.seed", 7);

  @Test
  void howeverLateTheTimerNoIntervalHoldsMore() {
    assertEquals(0, overLimit(starts(Limits.parse("3/1s"))), () -> "seed " + SEED);
  }

  @Test
  void hadPlannedInstantsBeenRecordedSomeIntervalWouldHoldMore() {
    assertTrue(overLimit(starts(new PlannedInstants())) > 0, () -> "seed " + SEED);
  }

  /** Lets 2000 requests through by a timer that is up to 150 ms late. */
  private static List<Long> starts(Limit limit) {
    var late = new LateTime();
    Limiter limiter =
        Limiter.builder(limit).time(late).executor(Runnable::run).stamped(true).build();
    var starts = new ArrayList<Long>();
    for (int i = 0; i < 2000; i++) {
      var unused = limiter.acquireAsync().thenAccept(p -> starts.add(p.releasedAt()));
    }
    while (starts.size() < 2000) {
      late.time.advanceToNext();
    }
    return starts;
  }

  private static int overLimit(List<Long> starts) {
    int over = 0;
    for (int i = MAX; i < starts.size(); i++) {
      if (starts.get(i) - starts.get(i - MAX) < INTERVAL) {
        over++;
      }
    }
    return over;
  }

  private static final class LateTime implements Time {
    final ManualTime time = ManualTime.manual();
    private final Random random = new Random(SEED);

    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant + random.nextInt(150_000_000), task);
    }
  }

  /** The throttler of the textbooks: it writes down when a request ought to go. */
  private record PlannedInstants() implements Limit {

    @Override
    public Meter newMeter(long now) {
      return new Planned();
    }

    @Override
    public List<Promise> promises() {
      return List.of();
    }

    private static final class Planned implements PlainMeter {
      private final Deque<Long> planned = new ArrayDeque<>();

      @Override
      public long nanosUntil(long since, long now, Cost cost) {
        return cost.calls() > 1 ? AT_EVENT : Math.max(0, plan(now) - now);
      }

      private long plan(long now) {
        return planned.size() < MAX ? now : Math.max(now, planned.getFirst() + INTERVAL);
      }

      @Override
      public long atLeast(long since, long now, Cost ahead, Cost cost) {
        return 0;
      }

      @Override
      public void release(long since, long now, Cost cost) {
        planned.add(plan(since));
        if (planned.size() > MAX) {
          planned.removeFirst();
        }
      }
    }
  }
}
