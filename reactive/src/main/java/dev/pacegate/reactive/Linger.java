package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How long a batch waits for more. In turns.
 *
 * <p>It is a place in the line of a limiter that is paused for so long and otherwise lets
 * everything through: that has the timer, and a thread on which to go on that is not the timer's.
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

  /** Returns what the batches of one subscription wait for; null if nothing. */
  static @Nullable Linger of(Batching<?> batching, Runnable stir) {
    Interval interval = batching.linger();
    return interval == null ? null : new Linger(interval, stir);
  }

  /** Returns whether so long has passed since this was asked first. */
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

  /** Begins anew when it is asked again. */
  void stop() {
    CompletableFuture<Permit> waiting = place;
    if (waiting != null) {
      place = null;
      waiting.cancel(false); // the next pause ends later in any case
    }
  }
}
