package dev.pacegate.cli;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Waits for what the processes of the demonstration do, and says what it waits for while that takes
 * long. Used by one thread.
 */
final class DemoWait {

  /** Of processes that run: only a machine that is far from idle takes so long. */
  static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Duration FIRST_WORD = Duration.ofSeconds(2);
  private static final Duration NEXT_WORD = Duration.ofSeconds(5);

  /** Processes give no other sign. */
  private static final Duration POLL = Duration.ofMillis(50);

  private final Time time;
  private final Output out;
  private final Callable<Boolean> goesOn;

  /**
   * Creates one.
   *
   * @param goesOn whether there is anything left to wait for; it may also throw
   */
  DemoWait(Time time, Output out, Callable<Boolean> goesOn) {
    this.time = time;
    this.out = out;
    this.goesOn = goesOn;
  }

  /**
   * Returns once the condition holds.
   *
   * @param what it waits for, such as "the server to listen"
   * @throws Failure if it takes longer than {@link #LONGEST}, or a process has ended
   */
  void until(Supplier<String> what, Callable<Boolean> condition) throws Exception {
    long began = time.nanoTime();
    long word = began + FIRST_WORD.toNanos();
    while (!condition.call()) {
      if (!goesOn.call()) {
        throw new Failure(
            "a process of the demonstration ended while this waited for " + what.get());
      }
      long now = time.nanoTime();
      if (now - began > LONGEST.toNanos()) {
        throw new Failure("waited for " + LONGEST.toMinutes() + " minutes for " + what.get());
      }
      if (now - word >= 0) {
        word = now + NEXT_WORD.toNanos();
        out.write("waiting for " + what.get() + "\n");
      }
      pause(now + POLL.toNanos());
    }
  }

  private void pause(long until) throws InterruptedException {
    while (time.nanoTime() - until < 0) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      time.parkUntil(this, until);
    }
  }
}
