package dev.pacegate.thread;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Daemon threads for what a timer's thread should not do, nor a caller; all limiters of a process
 * without an executor of their own share them. There are as many as there is work for, as it may
 * block. One that has had none for ten seconds ends. They inherit nothing from the threads that
 * start them.
 *
 * <p>Not the common pool: on a small machine that has a single thread. Nor the default of {@link
 * java.util.concurrent.CompletableFuture}, which there starts a thread for each task.
 */
public final class HelperThreads {

  private static final long KEEP_ALIVE_SECONDS = 10;

  private static final ThreadPoolExecutor THREADS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          KEEP_ALIVE_SECONDS,
          SECONDS,
          new SynchronousQueue<>(),
          HelperThreads::thread);

  private HelperThreads() {}

  /** Runs {@code work} on one of them; fails only if no thread can be started. */
  public static void execute(Runnable work) {
    THREADS.execute(work);
  }

  private static Thread thread(Runnable work) {
    var thread = new Thread(null, work, "pacegate-helper", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    return thread;
  }
}
