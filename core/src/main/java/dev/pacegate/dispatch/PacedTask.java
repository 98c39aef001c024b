package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A task of a {@link ThrottledExecutorService}: waits for its permit, runs, ends its permit. */
/*
 * The owner decides the task's fate under its lock. The first step that removes the task from the
 * waiting ones (the thread that runs it, a refusal, shutdownNow) decides; all later ones have no effect.
 */
final class PacedTask<T> extends FutureTask<T> {

  private final ThrottledExecutorService owner;
  private final @Nullable Runnable command;
  private final Consumer<? super PacedTask<T>> onDone;
  private final AtomicBoolean entered = new AtomicBoolean();
  private volatile @Nullable CompletableFuture<Permit> place;
  private volatile @Nullable Throwable rejection; // by the executor underneath
  private volatile boolean mayInterrupt;
  private @Nullable Throwable thrown;

  private @Nullable Thread thread; // that runs it: set before the owner says that it does
  private boolean interrupted; // guarded by the owner's lock

  /**
   * @param command what was executed rather than submitted
   * @param onDone called when the task has ended, cancelled or not
   */
  PacedTask(
      ThrottledExecutorService owner,
      Callable<T> callable,
      @Nullable Runnable command,
      Consumer<? super PacedTask<T>> onDone) {
    super(noting(callable));
    this.owner = owner;
    this.command = command;
    this.onDone = onDone;
  }

  private static <T> Callable<T> noting(Callable<T> callable) {
    requireNonNull(callable);
    return () -> {
      TaskOutcome.here().begun();
      return callable.call();
    };
  }

  /** Returns whether this is a task of {@code executor} that is executed for the first time. */
  boolean enters(ThrottledExecutorService executor) {
    return owner == executor && entered.compareAndSet(false, true);
  }

  /** Returns the task as it was submitted. */
  Runnable original() {
    return command == null ? this : command;
  }

  // ---- waiting

  /**
   * Joins the queue of {@code limiter}.
   *
   * @throws RejectedExecutionException if the limiter or the executor refuses it
   */
  void start(Limiter limiter, Executor executor) {
    CompletableFuture<Permit> joined =
        limiter.acquireAsync(Cost.ONE, work -> hand(work, executor), this::runUnder);
    place = joined;
    Throwable refusal = refusal(joined);
    if (refusal != null && owner.withdraws(this)) {
      leave();
      throw new RejectedExecutionException("refused: " + this, refusal);
    }
    var unused = joined.whenComplete((permit, refused) -> refused(refused));
    if (!owner.awaits(this)) {
      leave();
    }
  }

  private @Nullable Throwable refusal(CompletableFuture<Permit> joined) {
    return joined.isCompletedExceptionally() ? joined.handle((p, e) -> e).join() : rejection;
  }

  private void hand(Runnable work, Executor executor) {
    try {
      executor.execute(work);
    } catch (Throwable refused) {
      rejection = refused;
      if (place != null) { // otherwise it is being started, and start() looks again
        refused(refused);
        leave();
      }
    }
  }

  /** Handles the refusal of an accepted task, too late for an exception to the caller. */
  private void refused(@Nullable Throwable refusal) {
    if (refusal == null || !owner.withdraws(this) || refusal instanceof CancellationException) {
      return;
    }
    super.setException(refusal);
    if (command != null) {
      Failures.log("a task could not be run", refusal);
    }
  }

  /** Leaves the queue, if it is still in it. */
  void leave() {
    CompletableFuture<Permit> joined = place;
    if (joined != null) {
      joined.cancel(false);
    }
  }

  // ---- running

  private void runUnder(Permit permit) {
    thread = Thread.currentThread();
    if (!owner.begins(this)) {
      permit.notSent();
      return;
    }
    try {
      TaskOutcome.of(permit, this);
    } finally {
      owner.forget(this);
      if (interrupted) {
        Thread.interrupted(); // the interrupt was meant for this task
      }
    }
    if (thrown != null && command != null) {
      Thread current = Thread.currentThread();
      current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
    }
  }

  /** Interrupts the thread that runs it. Call it under the owner's lock. */
  void interrupt() {
    if (thread != null) {
      interrupted = true;
      thread.interrupt();
    }
  }

  @Override
  public void run() {
    super.run();
    if (isCancelled()) {
      TaskOutcome.here().cancelled();
      if (mayInterrupt) {
        Thread.interrupted(); // the interrupt was meant for this task
      }
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (mayInterruptIfRunning) {
      mayInterrupt = true;
    }
    return super.cancel(mayInterruptIfRunning);
  }

  @Override
  protected void set(T value) {
    TaskOutcome.here().returned(value);
    super.set(value);
  }

  @Override
  protected void setException(Throwable failure) {
    thrown = failure;
    TaskOutcome.here().failed(failure);
    super.setException(failure);
  }

  @Override
  protected void done() {
    if (isCancelled()) {
      leave();
    }
    onDone.accept(this);
  }
}
