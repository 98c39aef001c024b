package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.Time;
import org.jspecify.annotations.Nullable;

/**
 * A limiter for one thing after the other, each let in before it goes through and out behind it.
 */
final class Turnstile {

  /** Is told what went through, in nanoseconds since the turnstile was made. */
  @FunctionalInterface
  interface Witness {
    void add(long start, long end, Cost cost);
  }

  private final Limiter limiter;
  private final Time time;
  private final long origin;
  private final @Nullable Witness witness;
  private @Nullable Permit inside;
  private long cost;

  Turnstile(Limit limit, Time time, @Nullable Witness witness) {
    this.limiter = Limiter.builder(limit).time(time).stamped(witness != null).build();
    this.time = time;
    this.origin = time.nanoTime();
    this.witness = witness;
  }

  /** Lets {@code cost} in if that is possible at once. */
  boolean tryEnter(long cost) {
    Permit permit = limiter.tryAcquire(cost).orElse(null);
    if (permit == null) {
      return false;
    }
    enter(permit, cost);
    return true;
  }

  /** Lets {@code cost} in as soon as that is possible. */
  void enter(long cost) throws InterruptedException {
    enter(limiter.acquire(cost), cost);
  }

  private void enter(Permit permit, long cost) {
    inside = permit;
    this.cost = cost;
  }

  /** Says that what was let in is through. */
  void leave() {
    Permit permit = inside;
    if (permit == null) {
      return;
    }
    inside = null;
    if (witness != null) {
      long start = permit.releasedAt() - origin;
      long end = time.nanoTime() - origin;
      witness.add(start, Math.max(start, end), Cost.of(cost));
    }
    permit.close();
  }
}
