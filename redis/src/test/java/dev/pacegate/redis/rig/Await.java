package dev.pacegate.redis.rig;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Waits for what another process does, with a deadline. */
public final class Await {

  /** Another process tells of nothing that happens in it, so a test can only ask again. */
  private static final long POLL_MILLIS = 5;

  private Await() {}

  /**
   * Returns when the condition holds. What it throws means "not yet".
   *
   * @throws AssertionError if that takes longer than {@code deadline}; the message says what was
   *     awaited, and what the condition threw last
   */
  public static void until(String what, Duration deadline, Callable<Boolean> condition)
      throws InterruptedException {
    until(() -> what, deadline, condition);
  }

  /**
   * Returns the result of the first attempt that does not throw: a server on a loaded machine may
   * answer too late.
   */
  public static <T> T value(String what, Duration deadline, Callable<T> attempt)
      throws InterruptedException {
    var values = new ArrayList<T>(1);
    until(what, deadline, () -> values.add(attempt.call()));
    return values.get(0);
  }

  /** Like {@link #until(String, Duration, Callable)}; the message is made after the deadline. */
  public static void until(Supplier<String> what, Duration deadline, Callable<Boolean> condition)
      throws InterruptedException {
    long start = System.nanoTime();
    Exception last = null;
    do {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      Thread.sleep(POLL_MILLIS);
    } while (System.nanoTime() - start < deadline.toNanos());
    throw new AssertionError("not within " + deadline + ": " + what.get(), last);
  }
}
