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
        "one mistake would block all callers for days; with a ceiling, Pacegate can promise at most burst + debt + W/T in any W");
    text.row(
        "a cost of 0",
        guavas(() -> RateLimiter.create(5).tryAcquire(0)),
        Limiter.of(Pair.bursty(5)).tryAcquire(0).isPresent() ? "granted, uses no quota" : "refused",
        "a request that uses none of a named cost must be possible");
    text.row(
        "order",
        "each caller wakes by itself",
        "first come, first served",
        "threads, futures and `tryAcquire` with a timeout wait in one queue");
    text.row(
        "`acquire` returns", "the planned wait", "the measured wait", "a thread may wake up late");
    text.row(
        "polling a warm-up",
        "the limiter cools in a gap of any length",
        "the limiter cools only in a gap longer than the last request took to pay off",
        "for single permits, that time is one interval; see above");
    text.row(
        "below 1/s: " + code(SLOW.steps()) + " at " + code(SLOW.old()),
        Pair.Waits.text(slow.guava()),
        Pair.Waits.text(slow.ours()) + " with " + limit(SLOW.limit()),
        "a burst is at least one whole permit; "
            + limit("warmup(1/2s, over=0s)")
            + " saves up nothing");
    text.row(
        "10/s, bucket full, rate doubled: permits available at once",
        stored.guavaDoubled(),
        stored.oursDoubled(),
        "saved permits stay as they are: neither a new rate nor a larger `burst` gives a free"
            + " burst");
    text.row(
        "a change to no limit, with a debt of " + millis(forgiven.debtNanos()),
        "the next caller waits " + millis(forgiven.guavaNanos()),
        "the next caller waits " + millis(forgiven.oursNanos()),
        "`unlimited` limits nothing, not even a debt");
    text.row(
        code("create(0)"),
        guavas(() -> RateLimiter.create(0)),
        "an error that shows where: " + error("bucket(0/1s)"),
        "to stop everything, call `pause()`");
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
