package dev.pacegate.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * The log of the libraries: errors go to standard error, one line each. Warnings are dropped: that
 * a permit is open for long only means that a command runs for long.
 */
public final class Log extends System.LoggerFinder {

  /** Used by the service loader. */
  public Log() {}

  @Override
  public Logger getLogger(String name, Module module) {
    return new ErrorsOnly(name);
  }

  private record ErrorsOnly(String name) implements Logger {

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return level == Level.ERROR;
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        World.real().say(message + (thrown == null ? "" : ": " + thrown));
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object... arguments) {
      log(level, bundle, format, (Throwable) null);
    }
  }
}
