package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A task of a {@link ThrottledExecutorService}: waits for its permit, runs, ends its permit. */
final class PacedTask<T> extends FutureTask<T> {

  private final ThrottledExecutorService owner;
  private final @Nullable Runnable command; // what was executed rather than submitted
  private volatile @Nullable CompletableFuture<Permit> place;
  private volatile @Nullable Thread thread;
  private @Nullable Object result;
  private @Nullable Throwable failure;

  PacedTask(ThrottledExecutorService owner, Callable<T> callable, @Nullable Runnable command) {
    super(callable);
    this.owner = owner;
    this.command = command;
  }

  static PacedTask<?> of(ThrottledExecutorService owner, Runnable command) {
    return new PacedTask<>(owner, Executors.callable(command), command);
  }

  /** Returns what was handed in. */
  Runnable original() {
    return command == null ? this : command;
  }

  /**
   * Joins the line of {@code limiter}.
   *
   * @throws RejectedExecutionException if the limiter refuses it
   */
  void start(Limiter limiter, Executor executor) {
    CompletableFuture<Permit> joined = limiter.acquireAsync(Cost.ONE, executor);
    place = joined;
    if (joined.isCompletedExceptionally()) {
      owner.forget(this);
      throw new RejectedExecutionException("refused: " + this, joined.handle((p, e) -> e).join());
    }
    var unused = joined.whenComplete(this::admitted);
    if (isCancelled()) {
      leave();
    }
  }

  /** Gives up the place in line. */
  void leave() {
    CompletableFuture<Permit> joined = place;
    if (joined != null) {
      joined.cancel(false);
    }
  }

  void interrupt() {
    Thread runner = thread;
    if (runner != null) {
      runner.interrupt();
    }
  }

  private void admitted(@Nullable Permit permit, @Nullable Throwable refused) {
    if (permit == null) {
      if (refused instanceof RefusedException) {
        setException(refused); // the limiter has been closed
      }
      owner.forget(this);
    } else if (owner.begins(this)) {
      runUnder(permit);
    } else {
      permit.unused();
    }
  }

  private void runUnder(Permit permit) {
    thread = Thread.currentThread();
    try {
      run();
    } finally {
      thread = null;
      end(permit);
      owner.forget(this);
    }
    if (failure != null && command != null) {
      Thread current = Thread.currentThread();
      current.getUncaughtExceptionHandler().uncaughtException(current, failure);
    }
  }

  private void end(Permit permit) {
    if (failure != null) {
      permit.failed(failure);
    } else if (result instanceof CompletionStage<?> stage) {
      var unused = stage.whenComplete((value, failed) -> endWithStage(permit, failed));
    } else if (isCancelled()) {
      permit.lost();
    } else {
      permit.close();
    }
  }

  private static void endWithStage(Permit permit, @Nullable Throwable failed) {
    if (failed == null) {
      permit.close();
    } else {
      permit.failed(failed);
    }
  }

  @Override
  protected void set(T value) {
    result = value;
    super.set(value);
  }

  @Override
  protected void setException(Throwable thrown) {
    failure = requireNonNull(thrown);
    super.setException(thrown);
  }

  @Override
  protected void done() {
    if (isCancelled()) {
      leave();
    }
  }
}
