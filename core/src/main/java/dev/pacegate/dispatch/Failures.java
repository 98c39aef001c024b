package dev.pacegate.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Logs failures of the user's code that have no other way to be told. */
final class Failures {

  private static final Logger LOG = System.getLogger("dev.pacegate.dispatch");

  private Failures() {}

  /** Logs a failure; one that cannot be logged is lost, and stops nothing. */
  static void log(String what, Throwable failure) {
    try {
      LOG.log(Level.ERROR, what, failure);
    } catch (Throwable ofTheLogger) {
      // There is no other way left to tell.
    }
  }

  /** Runs a part of the user's code; that it fails is logged. */
  static void contain(String part, Runnable userCode) {
    try {
      userCode.run();
    } catch (Throwable failure) {
      log(part + " failed", failure);
    }
  }
}
