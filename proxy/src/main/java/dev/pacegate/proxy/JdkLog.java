package dev.pacegate.proxy;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/** The log of Netty and Vert.x, if the program brings no other. */
final class JdkLog {

  private JdkLog() {}

  /**
   * Formats a line, for which the JDK reads the file of its time zones. When descriptors have run
   * out that is too late: it fails with an Error, which ends the thread that wants to log.
   */
  static void warmUp() {
    String unused = new SimpleFormatter().format(new LogRecord(Level.INFO, ""));
  }
}
