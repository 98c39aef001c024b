package dev.pacegate.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** An executor service that accepts tasks, or not, as a test says. */
final class MoodyPool extends AbstractExecutorService {

  /** What it throws at a task. */
  interface Mood {
    @Nullable Throwable refusal();
  }

  static final Mood WILLING = () -> null;
  static final Mood FULL = () -> new RejectedExecutionException("full, says a test");

  final List<Long> refusedAt = new ArrayList<>(); // instants; by one thread at a time
  private final Executor threads;
  private final LongSupplier clock;
  volatile Mood mood = WILLING;
  private volatile boolean shutDown;

  /** Runs what it accepts on {@code threads}. */
  MoodyPool(Executor threads, LongSupplier clock) {
    this.threads = threads;
    this.clock = clock;
  }

  @Override
  public void execute(Runnable task) {
    if (shutDown) {
      return; // drops it, as DiscardPolicy does
    }
    Throwable refusal = mood.refusal();
    if (refusal instanceof Error error) {
      refusedAt.add(clock.getAsLong());
      throw error;
    }
    if (refusal != null) {
      refusedAt.add(clock.getAsLong());
      throw (RuntimeException) refusal;
    }
    threads.execute(task);
  }

  @Override
  public void shutdown() {
    shutDown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutDown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutDown;
  }

  @Override
  public boolean isTerminated() {
    return shutDown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutDown;
  }
}
