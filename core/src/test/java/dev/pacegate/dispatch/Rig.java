package dev.pacegate.dispatch;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What tests of delivery share. */
final class Rig {

  /** Far longer than anything here takes; reached only by what is stuck. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private Rig() {}

  /** Waits until something has come true, by looking again and again. */
  @SuppressWarnings("ThreadPriorityCheck") // lets those run who are to make it true
  static void await(String what, BooleanSupplier condition) {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began > PATIENCE.toNanos()) {
        throw new AssertionError("in vain: " + what);
      }
      Thread.yield();
    }
  }

  /** Work that may be interrupted and may fail. */
  interface Work {
    void run() throws Exception;
  }

  /** Starts a daemon thread. */
  static Thread start(Work work) {
    var thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              } catch (Exception failure) {
                throw new AssertionError(failure);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Nothing has leaked: no permit is open, no waiter is left in the queue. */
  static void assertIdle(Limiter limiter) {
    await( // a place that is not needed any more is cancelled by another thread
        "an idle limiter: " + limiter.snapshot(),
        () -> limiter.snapshot().open() == 0 && limiter.snapshot().waiting() == 0);
  }

  /** A clock that fails when told to, and with it every call of a limiter. */
  static final class BrokenTime implements Time {
    final ManualTime time = ManualTime.manual();
    volatile boolean broken;

    @Override
    public long nanoTime() {
      if (broken) {
        throw new IllegalStateException("thrown by a test");
      }
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }
  }

  /** Returns an executor of a virtual thread per task, or null where this JDK has none. */
  static @Nullable ExecutorService virtualThreads() {
    try {
      Method factory = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
      return (ExecutorService) factory.invoke(null);
    } catch (ReflectiveOperationException before21) {
      return null;
    }
  }
}
