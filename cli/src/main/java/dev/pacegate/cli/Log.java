package dev.pacegate.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * The log of the libraries: errors go to standard error, one line each. Warnings are dropped: that
 * a permit is open for long only means that a command runs for long. Those of a store are not, as
 * they tell why nothing goes.
 */
public final class Log extends System.LoggerFinder {

  private static final String STORE = "dev.pacegate.redis";
  private static volatile Level ofStores = Level.WARNING;

  /** Used by the service loader. */
  public Log() {}

  /** Sets from which level on messages of stores are printed. */
  static void printOfStores(Level least) {
    ofStores = least;
  }

  @Override
  public Logger getLogger(String name, Module module) {
    return new Printed(name);
  }

  private record Printed(String name) implements Logger {

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      Level least = name.equals(STORE) ? ofStores : Level.ERROR;
      return level.getSeverity() >= least.getSeverity() && level != Level.OFF;
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
