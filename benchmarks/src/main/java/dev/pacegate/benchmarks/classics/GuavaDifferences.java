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
        "One mistake would block all callers for days. With a ceiling, Pacegate can promise at most burst + debt + W/T in any W.");
    text.row(
        "a cost of 0",
        guavas(() -> RateLimiter.create(5).tryAcquire(0)),
        Limiter.of(Pair.bursty(5)).tryAcquire(0).isPresent()
            ? "It is granted, and uses no quota."
            : "refused",
        "A request may use none of a named cost.");
    text.row(
        "order",
        "Each caller wakes up by itself.",
        "First come, first served.",
        "Threads, futures and `tryAcquire` with a timeout wait in one queue.");
    text.row(
        "`acquire` returns", "the planned wait", "the measured wait", "A thread may wake up late.");
    text.row(
        "polling a warm-up",
        "The limiter cools in a gap of any length.",
        "The limiter cools only in a gap that is longer than it took to pay off the last request.",
        "For single permits, that time is one interval; see above.");
    text.row(
        "below 1/s: " + code(SLOW.steps()) + " at " + code(SLOW.old()),
        Pair.Waits.text(slow.guava()),
        Pair.Waits.text(slow.ours()) + " with " + limit(SLOW.limit()),
        "A burst is at least one whole permit. "
            + limit("warmup(1/2s, over=0s)")
            + " saves up nothing.");
    text.row(
        "permits available at once when the rate of a full bucket is doubled from 10/s",
        stored.guavaDoubled(),
        stored.oursDoubled(),
        "Saved permits stay as they are. Neither a new rate nor a larger `burst` gives a free"
            + " burst.");
    text.row(
        "removing the limit, with a debt of " + millis(forgiven.debtNanos()),
        "The next caller waits " + millis(forgiven.guavaNanos()) + ".",
        "The next caller waits " + millis(forgiven.oursNanos()) + ".",
        "`unlimited` limits nothing, not even a debt.");
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
