package dev.pacegate.architecture;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Task;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * That asking for a permit takes no memory, under a limit whose permits need no end; and little,
 * under one whose permits do.
 */
@Tag("jdk")
class AllocationTest {

  private static final int CALLS = 20_000;

  private static final int ROUNDS = 100;

  private static final int WARM_UP = 80; // of these: until the code is compiled for good

  /** Less than a byte each: the compiler and the profiler may need a little now and then. */
  private static final long MOST_BYTES = CALLS / 2;

  /** Of a permit that must end: its fields fill them, one more takes eight bytes more. */
  private static final long PERMIT = 48;

  private boolean granted = true;

  private long leastBytes(Supplier<Boolean> call) {
    var threads = ManagementFactory.getThreadMXBean();
    assumeTrue(threads instanceof com.sun.management.ThreadMXBean);
    var allocations = (com.sun.management.ThreadMXBean) threads;
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = allocations.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        granted &= call.get();
      }
      long taken = allocations.getCurrentThreadAllocatedBytes() - before;
      least = round < WARM_UP ? least : Math.min(least, taken);
    }
    assertTrue(granted);
    return least;
  }

  private void takesNoMemory(Supplier<Boolean> call) {
    long least = leastBytes(call);
    assertTrue(least <= MOST_BYTES, least + " bytes for " + CALLS + " calls");
  }

  /** Each takes a permit that must end, and ends it, without an {@code Optional} around it. */
  private void takesOnePermit(Task<InterruptedException> task) {
    long least =
        leastBytes(
            () -> {
              try {
                task.perform();
                return true;
              } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
              }
            });
    long most = PERMIT * CALLS + MOST_BYTES;
    assertTrue(least <= most, least + " bytes for " + CALLS + " calls, more than " + most);
  }

  private static KeyedLimiter<String> keyed() {
    return KeyedLimiter.of("1000000000/1s");
  }

  @Test
  void aPlainLimiterTakesNone() {
    Limiter limiter = Limiter.of("1000000000/1s");
    takesNoMemory(() -> limiter.tryAcquire().isPresent());
  }

  @Test
  void aKeyTakesNone() {
    KeyedLimiter<String> keyed = keyed();
    takesNoMemory(() -> keyed.tryAcquire("key").isPresent());
  }

  @Test
  void theLimiterOfAKeyTakesNone() {
    Limiter ofKey = keyed().limiter("key");
    takesNoMemory(() -> ofKey.tryAcquire().isPresent());
  }

  /** What was lost is remembered for some limits only: under others it must not be looked for. */
  @Test
  void aRefusalAfterALossTakesNone() throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    limiter.acquire().close();
    try (Permit open = limiter.acquire()) {
      takesNoMemory(() -> limiter.tryAcquire().isEmpty());
      open.answered();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(1000000000/1s)", "concurrent(1)"})
  void aPermitThatMustEndTakesOneSmallObject(String limit) {
    Limiter limiter = Limiter.of(limit);
    takesOnePermit(() -> limiter.acquire().answered());
  }

  @Test
  void aSmallCostTakesNoMoreThanItsPermit() {
    Limiter limiter = Limiter.of("1000000000/1s");
    takesOnePermit(() -> limiter.acquire(7).answered());
  }

  /** A job's thread knows the permit, so that it never waits for itself: see SelfWaitTest. */
  @ParameterizedTest
  @ValueSource(strings = {"peer(1000000000/1s)", "concurrent(2)"})
  void aJobTakesNoMoreThanItsPermit(String limit) {
    Limiter limiter = Limiter.of(limit);
    takesOnePermit(() -> limiter.call(() -> "answer"));
  }
}
