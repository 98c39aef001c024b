package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits. The limiter's alarm looks for it. A thread of the limiter's executor
 * completes it, or if it has an executor of its own, a thread of that.
 */
final class FutureWaiter extends Waiter {

  final PermitFuture future;
  final @Nullable Executor own;
  @Nullable Alarm timeout;
  long calledAt; // with an executor of its own
  boolean queued; // up for completion
  boolean claimed; // by a thread of its own executor, which completes it

  FutureWaiter(Lane lane, Cost cost, PermitFuture future, @Nullable Executor own) {
    super(lane, cost);
    this.future = future;
    this.own = own;
  }

  /** The caller does not take the permit that another thread is to come for. */
  @Override
  boolean goesAtOnce() {
    return own == null;
  }
}
