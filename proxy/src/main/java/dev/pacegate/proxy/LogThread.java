package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives lines to the user's log on a thread of its own: a log that blocks or throws must not hold
 * requests up. Lines that find no place are counted, and their number is told. So is that of
 * refusals when they come more often than one a second, after {@link #BURST} of them. Thread-safe.
 */
final class LogThread implements Consumer<String> {

  /** How many refusals have a line each before they are bounded. */
  static final int BURST = 20;

  private static final int MOST_LINES = 1000;
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);
  private static final QueuedLine LAST = new QueuedLine(LineKind.LAST, "");

  private enum LineKind {
    EVENT,
    REFUSAL,
    LAST
  }

  private record QueuedLine(LineKind kind, String text) {}

  private final Consumer<String> log;
  private final BlockingQueue<QueuedLine> lines = new ArrayBlockingQueue<>(MOST_LINES);
  private final AtomicInteger dropped = new AtomicInteger();
  private final AtomicInteger droppedRefusals = new AtomicInteger();
  private final Limiter refusals = Limiter.of("bucket(1/1s, burst=" + BURST + ")");
  private final Thread thread = new Thread(this::run, "pacegate-proxy-log");
  private int untold; // refusals; of the thread

  LogThread(Consumer<String> log) {
    this.log = log;
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void accept(String line) {
    if (!lines.offer(new QueuedLine(LineKind.EVENT, line))) {
      dropped.incrementAndGet();
    }
  }

  /** Logs a refusal, if there are not too many of them. */
  void refused(String line) {
    if (!lines.offer(new QueuedLine(LineKind.REFUSAL, line))) {
      droppedRefusals.incrementAndGet();
    }
  }

  private void run() {
    try {
      for (QueuedLine line = next(); line == null || line.kind != LineKind.LAST; line = next()) {
        if (line == null) {
          tellUntold();
        } else if (line.kind == LineKind.REFUSAL) {
          tellRefusal(line.text);
        } else {
          tell(line.text);
        }
        tellDropped();
      }
      tellUntold();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns null if none comes for a second after some were left out. */
  private @Nullable QueuedLine next() throws InterruptedException {
    return untold == 0 ? lines.take() : lines.poll(1, TimeUnit.SECONDS);
  }

  private void tellRefusal(String line) {
    if (refusals.tryAcquire().isEmpty()) {
      untold++;
      return;
    }
    int others = takeUntold();
    tell(others == 0 ? line : line + " (and " + more(others) + " before it)");
  }

  private void tellUntold() {
    int others = takeUntold();
    if (others > 0) {
      tell("refused: " + more(others));
    }
  }

  private int takeUntold() {
    int others = untold + droppedRefusals.getAndSet(0);
    untold = 0;
    return others;
  }

  private static String more(int count) {
    return UnderWay.requests(count).replaceFirst(" ", " more ");
  }

  private void tellDropped() {
    int missing = dropped.getAndSet(0);
    if (missing > 0) {
      tell(missing + " lines are missing here: the log is too slow");
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
      if (lines.offer(LAST, LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.join(LONGEST_CLOSE.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
