package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes a permit for one item after another: each is admitted before it is written, and ended
 * after.
 */
final class Turnstile {

  /** Receives each item's start and end, in nanoseconds since this was made, or since 1970. */
  @FunctionalInterface
  interface Witness {
    void add(long start, long end, Cost cost);
  }

  private final Limiter limiter;
  private final Time time;
  private final long origin;
  private final boolean byTimeOfDay;
  private final @Nullable Witness witness;
  private @Nullable Permit inside;
  private long start; // of the item inside: no earlier than the last, even if clocks are set
  private long cost;

  Turnstile(Limiter limiter, Time time) {
    this(limiter, time, false, null);
  }

  /**
   * @param limiter one whose permits know when they were released, if there is a witness
   * @param byTimeOfDay whether the witness gets instants since 1970, rather than the limiter's own
   * @param witness receives what went through; null if none
   */
  Turnstile(Limiter limiter, Time time, boolean byTimeOfDay, @Nullable Witness witness) {
    this.limiter = limiter;
    this.time = time;
    this.origin = time.nanoTime();
    this.byTimeOfDay = byTimeOfDay;
    this.witness = witness;
  }

  /** Admits {@code cost} if that is possible at once. */
  boolean tryEnter(long cost) {
    Permit permit = limiter.tryAcquire(cost).orElse(null);
    if (permit == null) {
      return false;
    }
    enter(permit, cost);
    return true;
  }

  /** Admits {@code cost} as soon as that is possible. */
  void enter(long cost) throws InterruptedException {
    enter(limiter.acquire(cost), cost);
  }

  private void enter(Permit permit, long cost) {
    inside = permit;
    this.cost = cost;
    if (witness != null) {
      start = byTimeOfDay ? Math.max(start, now()) : permit.releasedAt() - origin;
    }
  }

  private long now() {
    return byTimeOfDay
        ? ChronoUnit.NANOS.between(Instant.EPOCH, time.instant())
        : time.nanoTime() - origin;
  }

  /** Ends the permit of the item that was admitted. */
  void leave() {
    Permit permit = inside;
    if (permit == null) {
      return;
    }
    inside = null;
    if (witness != null) {
      witness.add(start, Math.max(start, now()), Cost.of(cost));
    }
    permit.answered();
  }
}
