package dev.pacegate.time;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Runs what others handed over, so that its failure stays its own. */
final class Tasks {

  private static final Logger LOG = System.getLogger("dev.pacegate.time");

  private Tasks() {}

  static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (Throwable failure) {
      LOG.log(Level.ERROR, "a timer task failed", failure);
    }
  }
}
