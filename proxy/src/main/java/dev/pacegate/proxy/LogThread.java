package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives lines to the user's log on a thread of its own: a log that blocks or throws must not hold
 * requests up. Lines that find no place are counted, and their number is told. So is that of
 * refusals of one status when they come more often than one a second, after {@link #BURST} of them:
 * a flood of one kind must not hide others. Thread-safe.
 */
final class LogThread implements Consumer<String> {

  /** How many refusals have a line each before they are bounded. */
  static final int BURST = 20;

  private static final int MOST_LINES = 1000;
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);
  private static final QueuedLine LAST = new QueuedLine("", null, true);

  private record QueuedLine(String text, @Nullable RefusalLines of, boolean last) {}

  /** Those of one status. */
  private static final class RefusalLines {

    final int status;
    final Limiter bound = Limiter.of("bucket(1/1s, burst=" + BURST + ")");
    final AtomicInteger untold = new AtomicInteger();

    RefusalLines(int status) {
      this.status = status;
    }

    boolean isOneTold() {
      return bound.tryAcquire().isPresent();
    }

    boolean areUntold() {
      return untold.get() > 0;
    }

    String more(int count) {
      return UnderWay.requests(count).replaceFirst(" ", " more ") + " with " + status;
    }
  }

  private final Consumer<String> log;
  private final BlockingQueue<QueuedLine> lines = new ArrayBlockingQueue<>(MOST_LINES);
  private final AtomicInteger dropped = new AtomicInteger();
  private final Map<Integer, RefusalLines> refusals = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this::run, "pacegate-proxy-log");

  LogThread(Consumer<String> log) {
    this.log = log;
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void accept(String line) {
    if (!lines.offer(new QueuedLine(line, null, false))) {
      dropped.incrementAndGet();
    }
  }

  /** Logs a refusal, if there are not too many of its status. */
  void refused(int status, String line) {
    RefusalLines of = refusals.computeIfAbsent(status, RefusalLines::new);
    if (!lines.offer(new QueuedLine(line, of, false))) {
      of.untold.incrementAndGet();
    }
  }

  private void run() {
    try {
      for (QueuedLine line = next(); line == null || !line.last; line = next()) {
        if (line == null) {
          refusals.values().forEach(this::tellUntold);
        } else if (line.of != null) {
          tellRefusal(line.of, line.text);
        } else {
          tell(line.text);
        }
        tellDropped();
      }
      refusals.values().forEach(this::tellUntold);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns null if none comes for a second after some were left out. */
  private @Nullable QueuedLine next() throws InterruptedException {
    boolean all = refusals.values().stream().noneMatch(RefusalLines::areUntold);
    return all ? lines.take() : lines.poll(1, TimeUnit.SECONDS);
  }

  private void tellRefusal(RefusalLines of, String line) {
    if (!of.isOneTold()) {
      of.untold.incrementAndGet();
      return;
    }
    int others = of.untold.getAndSet(0);
    tell(others == 0 ? line : line + " (and " + of.more(others) + " before it)");
    for (RefusalLines other : refusals.values()) { // which may have ended in the midst of these
      if (other != of && other.areUntold() && other.isOneTold()) {
        tellUntold(other);
      }
    }
  }

  private void tellUntold(RefusalLines of) {
    int others = of.untold.getAndSet(0);
    if (others > 0) {
      tell("refused: " + of.more(others));
    }
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
