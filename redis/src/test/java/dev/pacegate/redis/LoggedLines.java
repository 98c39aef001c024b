package dev.pacegate.redis;

import dev.pacegate.redis.rig.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines that are logged from now until the close. */
final class LoggedLines extends Handler implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final Logger logger = Logger.getLogger("dev.pacegate.redis");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  LoggedLines() {
    logger.addHandler(this);
  }

  /** Returns those that contain a text. */
  List<String> with(String text) {
    return lines.stream().filter(line -> line.contains(text)).toList();
  }

  /**
   * Waits until each outage that was told has its end, and fails if any told more than two reasons.
   * On a machine that stands still there may be more of them than the test made.
   */
  void awaitOutages(int least) throws InterruptedException {
    Await.until(
        () -> "outages end: " + lines,
        SOON,
        () -> {
          int ends = with(": the store answers again").size();
          int reasons = with("; requests wait").size();
          return ends >= least && ends <= reasons && reasons <= 2 * ends;
        });
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
