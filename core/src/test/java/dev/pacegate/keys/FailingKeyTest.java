package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.history.ForwardingMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.permit.Heard;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Keys are dropped even if a meter of the program fails when one is looked at. */
class FailingKeyTest {

  private final ManualTime time = ManualTime.manual();

  /** A limit of which so many questions fail: for a meter, and when a meter is at rest. */
  private record Failing(Limit limit, AtomicInteger failures, AtomicInteger restFailures)
      implements Limit {

    Failing(Limit limit, AtomicInteger failures) {
      this(limit, failures, failures);
    }

    private static void mayFail(AtomicInteger failures) {
      if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IllegalStateException("thrown by a test");
      }
    }

    @Override
    public Meter newMeter(long now) {
      mayFail(failures);
      Meter made = limit.newMeter(now);
      return new ForwardingMeter(made) {
        @Override
        public void release(long since, long at, Cost cost) {
          made.release(since, at, cost);
        }

        @Override
        public long restsIn(long at) {
          mayFail(restFailures);
          return super.restsIn(at);
        }
      };
    }

    @Override
    public List<Promise> promises() {
      return limit.promises();
    }
  }

  private KeyedLimiter<String> keyed(Limit limit) {
    return KeyedLimiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private void use(KeyedLimiter<String> keyed, int keys) {
    for (int i = 0; i < keys; i++) {
      assertTrue(keyed.tryAcquire("key " + i).isPresent());
      time.advance(Duration.ofMillis(1));
    }
  }

  @Test
  void onlyTheKeyWhoseMeterFailsIsKept() {
    var failures = new AtomicInteger();
    try (KeyedLimiter<String> keyed = keyed(new Failing(Limits.parse("10/1s"), failures))) {
      use(keyed, 500);
      failures.set(3);
      time.advance(Duration.ofSeconds(3));
      assertEquals(3, keyed.size());
      time.advance(Duration.ofMinutes(2));
      assertEquals(0, keyed.size());
      assertEquals(0, time.pending());
    }
  }

  @Test
  void onlyTheKeyWhoseChangeFailsIsKept() {
    var failures = new AtomicInteger();
    try (KeyedLimiter<String> keyed = keyed(Limits.parse("10/1s"))) {
      use(keyed, 500);
      keyed.setLimit(new Failing(Limits.parse("9/1s"), failures));
      failures.set(3);
      time.advance(Duration.ofSeconds(3));
      assertEquals(3, keyed.size());
      time.advance(Duration.ofMinutes(2));
      assertEquals(0, keyed.size());
    }
  }

  @Test
  void aKeyWhoseMeterAlwaysFailsDoesNotHinderOthers() {
    var failures = new AtomicInteger();
    try (KeyedLimiter<String> keyed = keyed(Limits.parse("10/1s"))) {
      keyed.limiter("bad").setLimit(new Failing(Limits.parse("10/1s"), failures));
      assertTrue(keyed.tryAcquire("bad").isPresent());
      failures.set(Integer.MAX_VALUE);
      for (int minutes = 0; minutes < 5; minutes++) {
        use(keyed, 10);
        time.advance(Duration.ofMinutes(1));
        assertEquals(1, keyed.size());
      }
      failures.set(0);
    }
  }

  private Failing restless(AtomicInteger failures) {
    return new Failing(Limits.parse("10/1s"), new AtomicInteger(), failures);
  }

  @Test
  void permitsOfAKeyWhoseMeterFailsAreGranted() {
    var failures = new AtomicInteger(Integer.MAX_VALUE);
    try (var heard = new Heard();
        KeyedLimiter<String> keyed = keyed(restless(failures))) {
      for (int i = 0; i < 3; i++) {
        assertTrue(keyed.tryAcquire("bad").isPresent());
        assertTrue(keyed.acquireAsync("worse").isDone());
      }
      time.advance(Duration.ofSeconds(50));
      assertEquals(2, keyed.size());
      assertEquals(1, heard.lines("a meter of a key failed").size(), heard.lines::toString);
      failures.set(0);
      time.advance(Duration.ofMinutes(2));
      assertEquals(0, keyed.size());
    }
  }

  @Test
  void allKeysAreResumedThoughTheirMetersFail() {
    var failures = new AtomicInteger();
    try (KeyedLimiter<String> keyed = keyed(restless(failures))) {
      for (int i = 0; i < 10; i++) {
        keyed.limiter("key " + i).pause();
      }
      failures.set(Integer.MAX_VALUE);
      keyed.all().resume();
      use(keyed, 10);
    }
  }
}
