package dev.pacegate.engine.visit;

import dev.pacegate.engine.report.Reporter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs work on executors that may reject it. Thread-safe. */
public final class TaskRunner {

  private final @Nullable Executor own;
  private final Reporter reporter;

  /**
   * @param own the limiter's; {@link CompletableFuture}'s default if null
   */
  public TaskRunner(@Nullable Executor own, Reporter reporter) {
    this.own = own;
    this.reporter = reporter;
  }

  /** Runs {@code work} on the limiter's executor. */
  public void run(Runnable work) {
    run(own == null ? usual() : own, work);
  }

  /**
   * Runs {@code work} on {@code to}; if that rejects it, on another thread; if none is left, here.
   */
  public void run(Executor to, Runnable work) {
    if (!accepts(to, work) && !accepts(usual(), work)) {
      work.run();
    }
  }

  /** Looked up each time: most limiters never need it, and it loads a thread pool. */
  private static Executor usual() {
    return new CompletableFuture<Void>().defaultExecutor();
  }

  private boolean accepts(Executor executor, Runnable work) {
    try {
      executor.execute(work);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    } catch (Throwable failure) {
      reporter.failed("the executor", failure);
      return false;
    }
  }
}
