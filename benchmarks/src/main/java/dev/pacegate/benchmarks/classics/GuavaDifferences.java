package dev.pacegate.benchmarks.classics;

import static dev.pacegate.benchmarks.Text.code;
import static dev.pacegate.benchmarks.Text.error;
import static dev.pacegate.benchmarks.Text.limit;
import static dev.pacegate.benchmarks.Text.millis;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.Text;
import java.time.Duration;
import java.util.function.Supplier;

/** Where ours does not do as Guava does, and means it. */
final class GuavaDifferences {

  static final Pair SLOW = new Pair("create(0.5)", 0.5, Duration.ZERO, "1 U5 1 1 1");

  private GuavaDifferences() {}

  static void write(
      Text text, Pair.Waits slow, GuavaTrials.Stored stored, GuavaTrials.Forgiven forgiven) {
    text.lines("", "### Different on purpose");
    text.table("what", "Guava", "Pacegate", "why");
    boolean huge = RateLimiter.create(5).tryAcquire(1_000_000);
    text.row(
        "1 000 000 permits at 5/s, `debt=100`",
        "granted: " + huge,
        refusal(),
        "A single mistaken request would block all callers for days. Because `debt` is limited, Pacegate grants at most burst + debt + period / interval permits in any period.");
    text.row(
        "a cost of 0",
        guavas(() -> RateLimiter.create(5).tryAcquire(0)),
        Limiter.of(Pair.bursty(5)).tryAcquire(0).isPresent()
            ? "The request is granted, and uses no quota."
            : "refused",
        "If a limit counts a named cost, such as tokens, a request may use none of it.");
    text.row(
        "order",
        "Each caller sleeps until its own time.",
        "First come, first served.",
        "Threads, futures and `tryAcquire` with a timeout wait in one queue.");
    text.row(
        "`acquire` returns",
        "the planned wait",
        "the measured wait",
        "A thread may wake up later than planned.");
    text.row(
        "polling a limiter that warms up",
        "The limiter cools in a gap of any length.",
        "The limiter cools only after the wait caused by the last request is over.",
        "For single permits, that time is one interval; see above.");
    text.row(
        "a rate below 1/s: " + code(SLOW.steps()) + " with " + code(SLOW.old()),
        Pair.Waits.text(slow.guava()),
        Pair.Waits.text(slow.ours()) + " with " + limit(SLOW.limit()),
        "A burst is at least one whole permit. With "
            + limit("warmup(1/2s, over=0s)")
            + ", nothing is saved up.");
    text.row(
        "permits available at once after you double the rate of a full bucket from 10/s",
        stored.guavaDoubled(),
        stored.oursDoubled(),
        "The number of saved permits stays the same. Neither a new rate nor a larger `burst`"
            + " gives a free burst.");
    text.row(
        "removing the limit while the debt is " + millis(forgiven.debtNanos()),
        "The next caller waits " + millis(forgiven.guavaNanos()) + ".",
        "The next caller waits " + millis(forgiven.oursNanos()) + ".",
        "With `unlimited`, no caller waits, not even to pay off a debt.");
    text.row(
        code("create(0)"),
        guavas(() -> RateLimiter.create(0)),
        "The error shows where the mistake is: " + error("bucket(0/1s)"),
        "To stop everything, call `pause()`.");
  }

  private static String refusal() {
    try {
      return "granted: " + Limiter.of(Pair.bursty(5)).tryAcquire(1_000_000).isPresent();
    } catch (CostTooLargeException refused) {
      return code(refused.getClass().getSimpleName());
    }
  }

  /** Returns what a call of Guava's throws, or that it does not. */
  private static String guavas(Supplier<?> call) {
    try {
      return "returns " + call.get();
    } catch (IllegalArgumentException refused) {
      return code(refused.getClass().getSimpleName());
    }
  }
}
