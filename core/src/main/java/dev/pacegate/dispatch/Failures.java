package dev.pacegate.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Where failures of what users hand in are told when nobody else is. */
final class Failures {

  private static final Logger LOG = System.getLogger("dev.pacegate.dispatch");

  private Failures() {}

  /** Logs a failure; one that cannot be logged is lost, and stops nothing. */
  static void log(String what, Throwable failure) {
    try {
      LOG.log(Level.ERROR, what, failure);
    } catch (Throwable ofTheLogger) {
      // A logger that fails has nobody left to tell.
    }
  }
}
