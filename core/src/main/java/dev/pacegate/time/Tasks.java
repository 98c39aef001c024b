package dev.pacegate.time;

import java.lang.System.Logger.Level;

/** Runs tasks of others and logs their failures. */
final class Tasks {

  private Tasks() {}

  static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (Throwable failure) {
      report(failure);
    }
  }

  private static void report(Throwable failure) {
    try {
      System.getLogger("dev.pacegate.time").log(Level.ERROR, "a timer task failed", failure);
    } catch (Throwable unreported) {
      // Logging may fail for the same reason, such as no memory.
    }
  }
}
