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

  /** Returns those that tell a reason of an outage. */
  List<String> outages() {
    return lines.stream().filter(line -> line.endsWith("; requests wait")).toList();
  }

  /**
   * Waits until what was told of outages has its ends, with three lines for each at most: two
   * reasons, and one of them again after a minute. How many outages there are is left to the
   * machine: while it stands still there may be more than the test made, and one that is over when
   * it goes on is not told.
   */
  void awaitOutagesToEnd() throws InterruptedException {
    Await.until(
        () -> "outages end: " + lines,
        SOON,
        () -> {
          int ends = with(": the store answers again").size();
          int told = outages().size();
          return ends <= told && told <= 3 * ends;
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
