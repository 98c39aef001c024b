package dev.pacegate.engine.visit;

import dev.pacegate.engine.report.Reporter;
import dev.pacegate.thread.HelperThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs work on executors that may reject it. Thread-safe. */
public final class TaskRunner {

  private final @Nullable Executor own;
  private final Reporter reporter;

  /**
   * @param own the limiter's; {@link HelperThreads} if null
   */
  public TaskRunner(@Nullable Executor own, Reporter reporter) {
    this.own = own;
    this.reporter = reporter;
  }

  /** Runs {@code work} on the limiter's executor. */
  public void run(Runnable work) {
    run(own == null ? helpers() : own, work);
  }

  /**
   * Runs {@code work} on {@code to}; if that rejects it, on another thread; if none is left, here.
   */
  public void run(Executor to, Runnable work) {
    if (!accepts(to, work) && !accepts(helpers(), work)) {
      work.run();
    }
  }

  /** Starts no thread until there is work. */
  private static Executor helpers() {
    return HelperThreads::execute;
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
