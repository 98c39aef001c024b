package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.result.CallerContext;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
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
  private volatile boolean mayInterrupt;
  private @Nullable Throwable thrown;

  // Guarded by the owner's lock.
  private @Nullable QueuePlace place; // while it waits
  private @Nullable Thread thread; // that runs it
  private boolean interrupted;

  /**
   * @param command what was executed rather than submitted
   * @param onDone called when the task has ended, cancelled or not
   */
  PacedTask(
      ThrottledExecutorService owner,
      Callable<T> callable,
      @Nullable Runnable command,
      Consumer<? super PacedTask<T>> onDone) {
    super(noting(callable, CallerContext.capture(owner.context())));
    this.owner = owner;
    this.command = command;
    this.onDone = onDone;
  }

  private static <T> Callable<T> noting(Callable<T> callable, CallerContext context) {
    requireNonNull(callable);
    return () -> context.call(() -> begin(callable));
  }

  private static <T> T begin(Callable<T> callable) throws Exception {
    TaskOutcome.here().begun();
    return callable.call();
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

  /** Returns the place in the limiter's queue that it leaves if it is not to run any more. */
  QueuePlace place() {
    return requireNonNull(place);
  }

  void place(QueuePlace place) {
    this.place = place;
  }

  /** Fails, as it does not run any more. */
  void fail(Throwable why) {
    super.setException(why);
  }

  /** Returns whether its failure is seen by its caller, who has submitted it. */
  boolean hasFuture() {
    return command == null;
  }

  // ---- running

  /** Notes that this thread runs it. Call it under the owner's lock. */
  void startsHere() {
    thread = Thread.currentThread();
  }

  void runUnder(Permit permit) {
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
      owner.leaves(this);
    }
    onDone.accept(this);
  }
}
