package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tasks of which any one's result will do. The others give up their places in line, which those of
 * the JDK's own {@code invokeAny} would not.
 */
final class InvokeAny<T> {

  private final ThrottledExecutorService executor;
  private final BlockingQueue<PacedTask<T>> done = new LinkedBlockingQueue<>();
  private final List<PacedTask<T>> tasks = new ArrayList<>();

  InvokeAny(ThrottledExecutorService executor, Collection<? extends Callable<T>> callables) {
    this.executor = executor;
    for (Callable<T> callable : callables) {
      tasks.add(new PacedTask<>(executor, callable, null, done::add));
    }
    if (tasks.isEmpty()) {
      throw new IllegalArgumentException("there are no tasks");
    }
  }

  /** Runs them until one has a result, for up to {@code nanos}. */
  T winner(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
    long began = System.nanoTime();
    try {
      tasks.forEach(executor::execute);
      ExecutionException failure = null;
      for (int i = 0; i < tasks.size(); i++) {
        long left = nanos - (System.nanoTime() - began);
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
      tasks.forEach(task -> task.cancel(true));
    }
  }
}
