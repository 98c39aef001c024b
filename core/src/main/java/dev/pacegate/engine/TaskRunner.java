package dev.pacegate.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Has work done by executors that may refuse it. Thread-safe. */
final class TaskRunner {

  private final @Nullable Executor own;
  private final Reporter reporter;

  /**
   * @param own the limiter's; {@link CompletableFuture}'s own default if null
   */
  TaskRunner(@Nullable Executor own, Reporter reporter) {
    this.own = own;
    this.reporter = reporter;
  }

  /** Has {@code work} done by the limiter's executor. */
  void run(Runnable work) {
    run(own == null ? usual() : own, work);
  }

  /** Has {@code work} done by {@code to}, or else elsewhere; here only if nothing else takes it. */
  void run(Executor to, Runnable work) {
    if (!accepts(to, work) && !accepts(usual(), work)) {
      work.run();
    }
  }

  /** Asked for each time: most limiters never need it, and it loads a pool of threads. */
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
