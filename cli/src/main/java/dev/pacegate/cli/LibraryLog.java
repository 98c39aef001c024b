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
    String name = String.valueOf(logged.getLoggerName());
    boolean isOfStore = name.startsWith("io.lettuce."); // which Log tells of
    if (isOfStore || logged.getLevel().intValue() < Level.WARNING.intValue()) {
      return;
    }
    boolean isError = logged.getLevel().intValue() > Level.WARNING.intValue();
    Throwable thrown = logged.getThrown();
    say.accept(
        name.substring(name.lastIndexOf('.') + 1)
            + (isError ? " logs an error" : " logs a warning")
            + (thrown == null ? "" : ": " + thrown.getClass().getSimpleName()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
