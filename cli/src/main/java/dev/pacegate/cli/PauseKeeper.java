package dev.pacegate.cli;

import dev.pacegate.LimiterListener;
import dev.pacegate.PeerPause;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the pauses that answers begin, on a thread of its own: the one that reads answers must not
 * wait for a disk. Of pauses that come while one is written the longest is written next.
 */
final class PauseKeeper implements LimiterListener, AutoCloseable {

  /** Keeps the end of a pause. */
  interface PauseTarget {
    void until(Instant end) throws Failure;
  }

  private final PauseTarget target;
  private final Consumer<String> say;
  private final Duration longestClose;
  private final AtomicReference<@Nullable Instant> next = new AtomicReference<>();
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            var daemon = new Thread(task, "pacegate-pause");
            daemon.setDaemon(true);
            return daemon;
          });

  /**
   * @param longestClose how long {@link #close} waits for what is being written
   */
  PauseKeeper(PauseTarget target, Consumer<String> say, Duration longestClose) {
    this.target = target;
    this.say = say;
    this.longestClose = longestClose;
    thread.prestartCoreThread(); // one that cannot be made ends the start, and no pause later
  }

  @Override
  public void onPeerPause(PeerPause pause) {
    if (next.getAndAccumulate(pause.until(), PauseKeeper::later) == null) {
      begin();
    }
  }

  private static Instant later(@Nullable Instant before, Instant end) {
    return before != null && before.isAfter(end) ? before : end;
  }

  private void begin() {
    try {
      thread.execute(this::write);
    } catch (RejectedExecutionException closed) {
      // the limiter is closed by now, and what it hears has no effect
    }
  }

  private void write() {
    Instant end = next.getAndSet(null);
    if (end == null) {
      return;
    }
    try {
      target.until(end);
    } catch (Failure e) {
      say.accept(String.valueOf(e.getMessage()));
    }
  }

  /** Waits for the last pause to be written, but not for ever. */
  @Override
  public void close() {
    begin(); // what could not be handed over, if there is any
    thread.shutdown();
    try {
      if (!thread.awaitTermination(longestClose.toNanos(), TimeUnit.NANOSECONDS)) {
        say.accept("a pause may not be kept: writing it takes too long");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
