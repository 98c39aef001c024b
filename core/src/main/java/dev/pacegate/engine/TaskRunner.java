package dev.pacegate.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Has work done by executors that may refuse it. Thread-safe. */
final class TaskRunner {

  private static final Executor FALLBACK = new CompletableFuture<Void>().defaultExecutor();

  private final Reporter reporter;

  TaskRunner(Reporter reporter) {
    this.reporter = reporter;
  }

  /** Has {@code work} done by {@code to}, or else elsewhere; here only if nothing else takes it. */
  void run(Executor to, Runnable work) {
    if (!accepts(to, work) && !accepts(FALLBACK, work)) {
      work.run();
    }
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
