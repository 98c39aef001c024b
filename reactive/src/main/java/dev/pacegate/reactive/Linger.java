package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The time that a batch waits for more elements. In turns.
 *
 * <p>It is a waiter of a limiter that is paused for so long and otherwise lets everything through:
 * that limiter provides the timer, and a thread to continue on that is not the timer's.
 */
final class Linger {

  private final Limiter alarm;
  private final Duration span;
  private final Runnable stir;
  private @Nullable CompletableFuture<Permit> place;

  private Linger(Interval interval, Runnable stir) {
    this.alarm = interval.limiter(Limits.unlimited());
    this.span = interval.span();
    this.stir = stir;
  }

  /** Returns the linger of one subscription's batches; null if they have none. */
  static @Nullable Linger of(Batching<?> batching, Runnable stir) {
    Interval interval = batching.linger();
    return interval == null ? null : new Linger(interval, stir);
  }

  /** Returns whether the time has passed since this was first called. */
  boolean isOver() {
    CompletableFuture<Permit> waiting = place;
    if (waiting == null) {
      alarm.pauseFor(span);
      waiting = alarm.acquireAsync(Cost.ONE);
      place = waiting;
      var unused = waiting.thenRun(stir);
    }
    return waiting.isDone();
  }

  /** Resets it: the next call of {@link #isOver} starts it again. */
  void stop() {
    CompletableFuture<Permit> waiting = place;
    if (waiting != null) {
      place = null;
      waiting.cancel(false); // the next pause ends later in any case
    }
  }
}
