package dev.pacegate.dispatch;

import java.lang.System.Logger.Level;

/** Logs failures of the user's code that no caller would see. */
final class Failures {

  private Failures() {}

  /** Logs a failure; if logging fails, the failure is dropped. */
  static void log(String what, Throwable failure) {
    try {
      System.getLogger("dev.pacegate.dispatch").log(Level.ERROR, what, failure);
    } catch (Throwable ofTheLogger) {
      // There is no other way left to report it.
    }
  }

  /** Runs a part of the user's code; logs its failure. */
  static void contain(String part, Runnable userCode) {
    try {
      userCode.run();
    } catch (Throwable failure) {
      log(part + " failed", failure);
    }
  }
}
