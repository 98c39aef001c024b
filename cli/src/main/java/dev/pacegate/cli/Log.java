package dev.pacegate.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Where the log of the libraries goes: errors, in one line each, to standard error. Warnings do
 * not: that a permit is open for long says no more than that a command runs for long.
 */
public final class Log extends System.LoggerFinder {

  /** Made by the service loader. */
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
