package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.thread.HelperThreads;
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
import org.jspecify.annotations.Nullable;

/**
 * An executor service whose tasks start no faster than a limiter allows, on the threads of another
 * executor.
 *
 * <p><b>Permits.</b> A task takes its permit on the thread that runs it, at the moment it starts.
 * Tasks take their permits in the order in which they were submitted, in the same queue as other
 * waiters of the limiter. (If all threads are busy for more than a millisecond, other waiters may
 * go first.) On one thread they run in that order; on several, two that have just taken their
 * permits may begin in either order. The permit ends when the task does or, if it returns a {@link
 * java.util.concurrent.CompletionStage}, when the stage does. The outcome is classified by {@link
 * dev.pacegate.FailureClassifier}; a task cancelled while it runs is lost. Only an exception that
 * the task throws is a failure: one that keeps its failure to itself, as tasks of {@link
 * java.util.concurrent.CompletableFuture#supplyAsync} do, counts as answered; use {@link
 * Limiter#callAsync} for those. A task may take more permits of the limiter.
 *
 * <p><b>Cancelling</b> the future of a task that has not started removes it from the queue and
 * costs nothing. (A {@link java.util.concurrent.CompletionService} returns a future of something
 * inside the task: cancelling that keeps the place in the queue, and the permit is lost.)
 *
 * <p><b>Shutting down</b> lets submitted tasks run; {@link #shutdownNow} returns those that have
 * not started. Neither closes the executor underneath or the limiter. Shut this service down first
 * and await its termination: tasks that wait still need the threads, and one that the executor
 * underneath accepts and drops never ends.
 *
 * <p><b>Rejection.</b> {@code execute} and {@code submit} reject a task that the limiter refuses,
 * or the executor underneath if it is offered the task at once. A task that was accepted, and that
 * the executor rejects when its turn has come, keeps its place. It is offered again after a quarter
 * of the time for which the executor has rejected, but 10 milliseconds to a second. Later tasks
 * wait behind it; other callers of the limiter do not, and nothing is charged. An error that the
 * executor throws counts as a rejection. An executor that has accepted no task for a minute, or has
 * been shut down, is given up: all tasks that wait fail with a {@link RejectedExecutionException},
 * and the log says how many, and how many of them have no future. If the limiter refuses a task
 * that waits, as it does when it is closed, the task's future fails with that; without a future it
 * is logged.
 *
 * <p><b>Threads.</b> The executor underneath is called by the thread that executes a task, ends a
 * permit or changes the limiter, and for tasks whose time has come, or that it has rejected, by a
 * daemon thread that ends when there has been no such task for ten seconds. If it runs tasks on its
 * caller, these threads run them. The thread of a {@link dev.pacegate.time.WheelTimer}, on which
 * all limiters wait, never calls it. Thread-safe.
 */
public final class ThrottledExecutorService extends AbstractExecutorService {

  private final Limiter limiter;
  private final Handoff handoff;
  private final int maxQueued;
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch terminated = new CountDownLatch(1);

  // Guarded by the lock.
  private final Set<PacedTask<?>> queued = new LinkedHashSet<>();
  private final Set<PacedTask<?>> running = new LinkedHashSet<>();
  private volatile boolean shutDown; // changed under the lock

  /**
   * @param helpers run what neither the timer's thread nor a caller should do
   */
  ThrottledExecutorService(Limiter limiter, Executor executor, int maxQueued, Executor helpers) {
    this.limiter = requireNonNull(limiter);
    this.handoff = new Handoff(this, requireNonNull(executor), limiter.time(), helpers);
    this.maxQueued = maxQueued;
  }

  /** Returns an executor that starts tasks on {@code executor} as {@code limiter} allows. */
  public static ThrottledExecutorService of(Limiter limiter, Executor executor) {
    return new ThrottledExecutorService(
        limiter, executor, Integer.MAX_VALUE, HelperThreads::execute);
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
    return new ThrottledExecutorService(limiter, executor, maxQueued, HelperThreads::execute);
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
    var place = new QueuePlace(this, handoff, task);
    admit(task, place);
    try {
      place.join(limiter, task);
    } catch (Throwable failure) {
      if (!withdraws(task, place)) {
        failFirst(place, failure);
      }
      throw failure;
    }
  }

  /** Carries the context of who submits a task to the thread that runs it. */
  ContextPropagator context() {
    return limiter.context();
  }

  private void admit(PacedTask<?> task, QueuePlace place) {
    if (handoff.isShutDown()) {
      throw Handoff.shutDown();
    }
    locked(
        () -> {
          if (shutDown) {
            throw new RejectedExecutionException("shut down: " + task);
          }
          if (queued.size() >= maxQueued) {
            throw new RejectedExecutionException(
                "at most " + maxQueued + " tasks may wait, and as many do: " + task);
          }
          task.place(place);
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

  /** Returns whether the task of a place waits to start. */
  boolean awaits(QueuePlace place) {
    return locked(() -> queued.contains(place.task()));
  }

  /** Starts the first task on this thread, for which a place is served; null if none is left. */
  @Nullable PacedTask<?> starts(QueuePlace served) {
    return locked(
        () -> {
          PacedTask<?> first = takeFirst(served);
          if (first != null) {
            first.startsHere();
          }
          return first;
        });
  }

  /** A place is lost: fails the first task. */
  void failFirst(QueuePlace lost, Throwable why) {
    PacedTask<?> first = locked(() -> takeFirst(lost));
    if (first == null) {
      return;
    }
    first.fail(why);
    forget(first);
    if (!first.hasFuture()) {
      Failures.log("a task could not be run", why);
    }
  }

  /**
   * Moves the first task from the waiting to the running ones; null if that of the place does not
   * wait any more. If it is another task, that one goes on waiting at the place of the first.
   */
  private @Nullable PacedTask<?> takeFirst(QueuePlace used) {
    PacedTask<?> own = used.task();
    if (!queued.contains(own)) {
      return null;
    }
    PacedTask<?> first = queued.iterator().next();
    QueuePlace free = first.place();
    first.place(used);
    used.task(first);
    own.place(free);
    free.task(own);
    begin(first);
    return first;
  }

  private boolean begin(PacedTask<?> task) {
    return queued.remove(task) && running.add(task);
  }

  /** Removes a task from the waiting ones, and its place; false if it was not there any more. */
  boolean withdraws(PacedTask<?> task, QueuePlace place) {
    return locked(() -> place.task() == task && queued.remove(task));
  }

  /** A task is not to run any more: it leaves the limiter's queue, if it waits. */
  void leaves(PacedTask<?> task) {
    QueuePlace place = locked(() -> queued.remove(task) ? task.place() : null);
    if (place != null) {
      place.leave();
    }
  }

  /** Removes a task that has ended. */
  void forget(PacedTask<?> task) {
    locked(() -> running.remove(task));
  }

  /**
   * Fails all tasks that wait, but for those whose threads have been sent. The last one leaves the
   * limiter's queue first, so that no other is served meanwhile.
   */
  void failWaiting(RejectedExecutionException why) {
    List<PacedTask<?>> failing =
        locked(() -> queued.stream().filter(task -> !task.place().isUnderneath()).toList());
    int failed = 0;
    int untold = 0;
    for (int i = failing.size() - 1; i >= 0; i--) {
      PacedTask<?> task = failing.get(i);
      if (locked(() -> begin(task))) { // so that it terminates when all futures have failed
        task.fail(why);
        task.place().leave();
        forget(task);
        failed++;
        untold += task.hasFuture() ? 0 : 1;
      }
    }
    if (failed > 0) {
      Failures.log(
          "limiter "
              + limiter.name()
              + ": "
              + failed
              + " tasks were not run, "
              + untold
              + " of them without a future",
          why);
    }
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
    var never = new ArrayList<PacedTask<?>>();
    List<Runnable> given =
        locked(
            () -> {
              shutDown = true;
              never.addAll(queued);
              var originals = new ArrayList<>(never.stream().map(PacedTask::original).toList());
              queued.clear();
              running.forEach(PacedTask::interrupt);
              return originals;
            });
    Failures.contain("leaving the queue", () -> QueuePlace.leaveAll(limiter, never));
    return given;
  }

  /** Does a step under the lock, and terminates if it was the last one. */
  private <R extends @Nullable Object> R locked(Supplier<R> step) {
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
