package dev.pacegate.redis;

import java.lang.System.Logger.Level;

/** The log. Its failures are dropped: a log that fails must not stop a limiter. */
final class Log {

  private Log() {}

  static void info(String message) {
    log(Level.INFO, message);
  }

  static void warning(String message) {
    log(Level.WARNING, message);
  }

  private static void log(Level level, String message) {
    try {
      System.getLogger("dev.pacegate.redis").log(level, message);
    } catch (Throwable ofTheLogger) {
      // There is no other way left to report it.
    }
  }
}
