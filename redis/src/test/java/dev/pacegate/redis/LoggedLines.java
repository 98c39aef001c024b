package dev.pacegate.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines that are logged from now until the close. */
final class LoggedLines extends Handler implements AutoCloseable {

  private final Logger logger = Logger.getLogger("dev.pacegate.redis");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  LoggedLines() {
    logger.addHandler(this);
  }

  /** Returns those that contain a text. */
  List<String> with(String text) {
    return lines.stream().filter(line -> line.contains(text)).toList();
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(String.valueOf(line.getMessage()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
