package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * An executor service whose tasks start no faster than a limiter allows, on the threads of another
 * executor.
 *
 * <p><b>Permits.</b> A task takes its permit on the thread that runs it, at the moment it starts.
 * Tasks start in the order in which they were submitted, in the same queue as other waiters of the
 * limiter. (If all threads are busy for more than a millisecond, other waiters may go first.) The
 * permit ends when the task does or, if it returns a {@link java.util.concurrent.CompletionStage},
 * when the stage does. The outcome is classified by {@link dev.pacegate.FailureClassifier}; a task
 * cancelled while it runs is lost. Only an exception that the task throws is a failure: one that
 * keeps its failure to itself, as tasks of {@link
 * java.util.concurrent.CompletableFuture#supplyAsync} do, counts as answered; use {@link
 * Limiter#callAsync} for those. A task may take more permits of the limiter.
 *
 * <p><b>Cancelling</b> the future of a task that has not started removes it from the queue and
 * costs nothing. (A {@link java.util.concurrent.CompletionService} returns a future of something
 * inside the task: cancelling that keeps the place in the queue, and the permit is lost.)
 *
 * <p><b>Shutting down</b> lets submitted tasks run; {@link #shutdownNow} returns those that have
 * not started. Neither closes the executor underneath or the limiter. Shut this service down first:
 * a task that the executor underneath accepts and drops never ends.
 *
 * <p>A task is rejected if the limiter refuses it or the executor underneath rejects it. If that
 * happens while the task waits, the task's future fails with it; without a future it is logged.
 * Thread-safe.
 */
public final class ThrottledExecutorService extends AbstractExecutorService {

  private final Limiter limiter;
  private final Executor executor;
  private final int maxQueued;
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch terminated = new CountDownLatch(1);

  // Guarded by the lock.
  private final Set<PacedTask<?>> queued = new LinkedHashSet<>();
  private final Set<PacedTask<?>> running = new LinkedHashSet<>();
  private volatile boolean shutDown; // changed under the lock

  private ThrottledExecutorService(Limiter limiter, Executor executor, int maxQueued) {
    this.limiter = requireNonNull(limiter);
    this.executor = requireNonNull(executor);
    this.maxQueued = maxQueued;
  }

  /** Returns an executor that starts tasks on {@code executor} as {@code limiter} allows. */
  public static ThrottledExecutorService of(Limiter limiter, Executor executor) {
    return new ThrottledExecutorService(limiter, executor, Integer.MAX_VALUE);
  }

  /**
   * As {@link #of(Limiter, Executor)}, but rejects tasks while {@code maxQueued} wait to start.
   *
   * @throws IllegalArgumentException if {@code maxQueued} is not positive
   */
  public static ThrottledExecutorService of(Limiter limiter, Executor executor, int maxQueued) {
    if (maxQueued < 1) {
      throw new IllegalArgumentException("maxQueued must be at least 1: " + maxQueued);
    }
    return new ThrottledExecutorService(limiter, executor, maxQueued);
  }

  /**
   * Runs {@code command} once the limiter allows. Its exception goes to the thread's handler of
   * uncaught exceptions.
   *
   * @throws RejectedExecutionException if shut down, if {@code maxQueued} tasks wait, or if the
   *     limiter or the executor refuses it
   */
  @Override
  public void execute(Runnable command) {
    requireNonNull(command);
    PacedTask<?> task =
        command instanceof PacedTask<?> own && own.enters(this)
            ? own
            : new PacedTask<>(this, Executors.callable(command), command, done -> {});
    admit(task);
    boolean started = false;
    try {
      task.start(limiter, executor);
      started = true;
    } finally {
      if (!started) {
        withdraws(task);
      }
    }
  }

  private void admit(PacedTask<?> task) {
    locked(
        () -> {
          if (shutDown) {
            throw new RejectedExecutionException("shut down: " + task);
          }
          if (queued.size() >= maxQueued) {
            throw new RejectedExecutionException(
                "at most " + maxQueued + " tasks may wait, and as many do: " + task);
          }
          return queued.add(task);
        });
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
    return new PacedTask<>(this, callable, null, done -> {});
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
    return newTaskFor(Executors.callable(runnable, value));
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException {
    try {
      return invokeAny(tasks, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } catch (TimeoutException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Once one task has succeeded, the others leave the limiter's queue.
   */
  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    long began = System.nanoTime();
    var done = new LinkedBlockingQueue<PacedTask<T>>();
    List<PacedTask<T>> own = new ArrayList<>();
    tasks.forEach(task -> own.add(new PacedTask<>(this, task, null, done::add)));
    if (own.isEmpty()) {
      throw new IllegalArgumentException("there are no tasks");
    }
    try {
      own.forEach(this::execute);
      ExecutionException failure = null;
      for (int i = 0; i < own.size(); i++) {
        long left = unit.toNanos(timeout) - (System.nanoTime() - began);
        Future<T> next = done.poll(left, TimeUnit.NANOSECONDS);
        if (next == null) {
          throw new TimeoutException();
        }
        try {
          return next.get();
        } catch (ExecutionException failed) {
          failure = failed;
        } catch (CancellationException cancelled) {
          failure = new ExecutionException(cancelled);
        }
      }
      throw requireNonNull(failure);
    } finally {
      own.forEach(task -> task.cancel(true));
    }
  }

  /** Returns whether a task waits to start. */
  boolean awaits(PacedTask<?> task) {
    return locked(() -> queued.contains(task));
  }

  /** Moves a task from the waiting to the running ones; false if it is not to run any more. */
  boolean begins(PacedTask<?> task) {
    return locked(() -> queued.remove(task) && running.add(task));
  }

  /** Removes a task from the waiting ones; false if it was not among them. */
  boolean withdraws(PacedTask<?> task) {
    return locked(() -> queued.remove(task));
  }

  /** Removes a task that has ended. */
  void forget(PacedTask<?> task) {
    locked(() -> running.remove(task));
  }

  /** Returns how many tasks wait to start. */
  public int queued() {
    return locked(queued::size);
  }

  @Override
  public void shutdown() {
    locked(() -> shutDown = true);
  }

  /**
   * Shuts down, interrupts running tasks, and returns those that will never start: executed ones as
   * they were given, submitted ones as their futures, which may still be run or cancelled.
   */
  @Override
  public List<Runnable> shutdownNow() {
    List<PacedTask<?>> never =
        locked(
            () -> {
              shutDown = true;
              var left = new ArrayList<PacedTask<?>>(queued);
              queued.clear();
              running.forEach(PacedTask::interrupt);
              return left;
            });
    never.forEach(PacedTask::leave);
    return new ArrayList<>(never.stream().map(PacedTask::original).toList());
  }

  /** Does a step under the lock, and terminates if it was the last one. */
  private <R> R locked(Supplier<R> step) {
    lock.lock();
    try {
      R result = step.get();
      if (shutDown && queued.isEmpty() && running.isEmpty()) {
        terminated.countDown();
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isShutdown() {
    return shutDown;
  }

  @Override
  public boolean isTerminated() {
    return terminated.getCount() == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  @Override
  public String toString() {
    return "ThrottledExecutorService[" + limiter.name() + ", " + queued() + " waiting]";
  }
}
