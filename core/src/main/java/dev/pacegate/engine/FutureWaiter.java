package dev.pacegate.engine;

import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.limit.Cost;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A waiting future. The limiter's alarm watches the clock for it. A thread of its own executor
 * completes it, or else one of the limiter's.
 */
final class FutureWaiter extends Waiter {

  final PermitFuture future;
  final @Nullable Executor own;
  @Nullable Alarm timeout;
  long calledAt; // with an executor of its own
  boolean queued; // for completion
  boolean claimed; // by a thread of its own executor, which completes it

  FutureWaiter(Lane lane, Cost cost, PermitFuture future, @Nullable Executor own) {
    super(lane, cost);
    this.future = future;
    this.own = own;
  }

  /** Another thread collects this permit. */
  @Override
  boolean goesAtOnce() {
    return own == null;
  }
}
