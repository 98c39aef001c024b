package dev.pacegate.cli;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Prints what the libraries of the proxy log as one line each, as other messages are. Their own
 * texts are left out: they quote what clients and upstreams send.
 */
final class LibraryLog extends Handler {

  private final Consumer<String> say;

  LibraryLog(Consumer<String> say) {
    this.say = say;
  }

  /** Replaces the log of the JDK. */
  static void install(Consumer<String> say) {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    root.addHandler(new LibraryLog(say));
  }

  @Override
  public void publish(LogRecord logged) {
    if (logged.getLevel().intValue() < Level.WARNING.intValue()) {
      return;
    }
    String name = String.valueOf(logged.getLoggerName());
    Throwable thrown = logged.getThrown();
    say.accept(
        name.substring(name.lastIndexOf('.') + 1)
            + " reports a failure"
            + (thrown == null ? "" : ": " + thrown.getClass().getSimpleName()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
