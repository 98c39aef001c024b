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
 * An executor whose tasks start no faster than a limit allows, on the threads of another executor.
 *
 * <p>A task takes its permit on the thread that runs it, the moment it starts, in the order in
 * which tasks were submitted, beside all others that wait for the same limiter. (Where the threads
 * are all busy for more than a millisecond, others may go before it. A task may take more permits
 * of the limiter.) The permit ends when the task does, or if it returns a {@link
 * java.util.concurrent.CompletionStage}, when that does; how, its outcome says (see {@link
 * dev.pacegate.FailureClassifier}), and one that was cancelled while it ran is lost. Only what a
 * task throws is an outcome: one that keeps its failure to itself, as those of {@link
 * java.util.concurrent.CompletableFuture#supplyAsync} do, counts as answered. {@link
 * Limiter#callAsync} is for such.
 *
 * <p>Cancelling the future of a task that has not started takes it out of the line and costs
 * nothing. (A {@link java.util.concurrent.CompletionService} hands out a future of something inside
 * the task: cancelling that keeps the place in line, and the permit is lost.) A task that throws
 * harms no other. Shutting down keeps what has been submitted, {@link #shutdownNow} gives it back;
 * neither touches the executor underneath nor the limiter, which belong to their makers. Shut this
 * one down first: what an executor underneath has taken and then forgets never ends.
 *
 * <p>A task is rejected if the limiter refuses it or the executor underneath rejects it. If either
 * happens later, because it was closed while the task waited, the task's future fails with that; a
 * task without a future is logged.
 *
 * <p>Thread-safe.
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

  /** Returns an executor that starts tasks on {@code executor} as {@code limiter} lets them. */
  public static ThrottledExecutorService of(Limiter limiter, Executor executor) {
    return new ThrottledExecutorService(limiter, executor, Integer.MAX_VALUE);
  }

  /**
   * As {@link #of(Limiter, Executor)}, rejecting tasks while {@code maxQueued} wait to be started.
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
   * Runs {@code command} once the limiter lets it. What it throws goes to the thread's handler of
   * uncaught exceptions.
   *
   * @throws RejectedExecutionException if shut down, if as many tasks wait as may wait, or if the
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
            throw new RejectedExecutionException(maxQueued + " tasks are waiting already: " + task);
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
   * <p>The others give up their places in line, which those of the JDK's own would not.
   */
  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    long until = System.nanoTime() + unit.toNanos(timeout);
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
        Future<T> next = done.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
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

  /** Returns whether a task waits to be started. */
  boolean awaits(PacedTask<?> task) {
    return locked(() -> queued.contains(task));
  }

  /** Moves a task from those that wait to those that run; false if it is to be run no more. */
  boolean begins(PacedTask<?> task) {
    return locked(() -> queued.remove(task) && running.add(task));
  }

  /** Takes a task from those that wait; false if it was not among them. */
  boolean withdraws(PacedTask<?> task) {
    return locked(() -> queued.remove(task));
  }

  /** Forgets a task that runs no more. */
  void forget(PacedTask<?> task) {
    locked(() -> running.remove(task));
  }

  /** Returns how many tasks wait to be started. */
  public int queued() {
    return locked(queued::size);
  }

  @Override
  public void shutdown() {
    locked(() -> shutDown = true);
  }

  /**
   * Shuts down, interrupts what runs, and returns what will never start: what was executed as it
   * was, what was submitted as its future, which may still be run or cancelled.
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

  /** Does a step under the lock, which may be the last one before the end. */
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
