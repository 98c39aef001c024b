package dev.pacegate.proxy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Gives lines to the user's log on a thread of its own: a log that blocks or throws must not hold
 * requests up. Lines that find no place are counted, and their number is told. Thread-safe.
 */
final class LogThread implements Consumer<String> {

  private static final int MOST_LINES = 1000;
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

  private final Consumer<String> log;
  private final BlockingQueue<Optional<String>> lines = // an empty one is the last
      new ArrayBlockingQueue<>(MOST_LINES);
  private final AtomicInteger dropped = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "pacegate-proxy-log");

  LogThread(Consumer<String> log) {
    this.log = log;
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void accept(String line) {
    if (!lines.offer(Optional.of(line))) {
      dropped.incrementAndGet();
    }
  }

  private void run() {
    try {
      for (var line = lines.take(); line.isPresent(); line = lines.take()) {
        tell(line.get());
        int missing = dropped.getAndSet(0);
        if (missing > 0) {
          tell(missing + " lines are missing here: the log is too slow");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(String line) {
    try {
      log.accept(line);
    } catch (RuntimeException | Error ofTheUser) {
      // there is no other place to tell it
    }
  }

  /** Waits for the last lines, but not for ever: the log may block. */
  void close() {
    try {
      if (lines.offer(Optional.empty(), LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.join(LONGEST_CLOSE.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
