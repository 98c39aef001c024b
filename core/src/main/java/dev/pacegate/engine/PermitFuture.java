package dev.pacegate.engine;

import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future permit. Completing it from outside leaves the queue; the gate decides, so a permit is
 * never charged and then not delivered.
 */
final class PermitFuture extends CompletableFuture<Permit> implements FutureWaiter.Recipient {

  /**
   * Tells one of many futures that it is cancelled. Its stack trace, which would take long, is that
   * of its cause; the exception itself is not shared, as users may add to it.
   */
  private static final class CancelledWithOthers extends CancellationException {

    private static final long serialVersionUID = 1;

    CancelledWithOthers(CancellationException all) {
      initCause(all);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  final FutureWaiter waiter;
  private final FutureWaiter.Departure queue;
  private final @Nullable Consumer<? super Permit> action; // runs before dependent stages
  private final boolean onlySchedules;

  /** Has an executor of its own, whose thread takes the permit. */
  PermitFuture(
      FutureWaiter.Departure queue,
      Lane lane,
      Cost cost,
      Executor own,
      Consumer<? super Permit> action) {
    this.queue = queue;
    this.action = action;
    this.onlySchedules = false;
    this.waiter = new FutureWaiter(lane, cost, this, own);
  }

  /** Is completed on the limiter's executor, or by any thread if its stages only schedule. */
  PermitFuture(FutureWaiter.Departure queue, Lane lane, Cost cost, boolean onlySchedules) {
    this.queue = queue;
    this.action = null;
    this.onlySchedules = onlySchedules;
    this.waiter = new FutureWaiter(lane, cost, this, null);
  }

  /**
   * Returns itself. In the engine the JVM would load both classes with the first limiter, to check
   * that one is the other.
   */
  CompletableFuture<Permit> asFuture() {
    return this;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    return (queue.giveUp(waiter) && super.cancel(mayInterruptIfRunning)) || isCancelled();
  }

  /** Returns whether its waiter leaves the queue of {@code engine}. */
  boolean leavesQueueOf(EngineMonitor engine) {
    return queue == engine;
  }

  /** Its waiter has left the queue, together with others. */
  void cancelled(CancellationException all) {
    super.completeExceptionally(new CancelledWithOthers(all));
  }

  @Override
  public boolean complete(Permit permit) {
    return queue.giveUp(waiter) && super.complete(permit);
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    return queue.giveUp(waiter) && super.completeExceptionally(failure);
  }

  @Override
  public CompletableFuture<Permit> completeAsync(
      Supplier<? extends Permit> supplier, Executor executor) {
    return queue.giveUp(waiter) ? super.completeAsync(supplier, executor) : this;
  }

  /** A copy or a dependent stage has no place in the queue. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }

  @Override
  public boolean onlySchedules() {
    return onlySchedules;
  }

  @Override
  public void deliver(Permit permit) {
    if (action != null && !isDone()) {
      act(action, permit);
    } else if (!super.complete(permit)) {
      permit.notSent(); // it was completed in a way that does not ask the gate
    }
  }

  private void act(Consumer<? super Permit> action, Permit permit) {
    try {
      action.accept(permit);
    } catch (Throwable failure) {
      permit.failed(failure);
      super.completeExceptionally(failure);
      throw failure;
    }
    super.complete(permit);
  }

  @Override
  public void fail(RefusedException refused) {
    super.completeExceptionally(refused);
  }
}
