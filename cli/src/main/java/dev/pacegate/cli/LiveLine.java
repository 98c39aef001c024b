package dev.pacegate.cli;

import dev.pacegate.time.Durations;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A progress line on the terminal, such as {@code 120 lines in 24s, 5.0/s (5/1s)}: redrawn in
 * place, and erased when closed.
 */
final class LiveLine implements AutoCloseable {

  /** Erases what is in the present line of the terminal. */
  static final String ERASE = "\r\033[K";

  private static final long REDRAW_MILLIS = 250;

  private final World world;
  private final LongSupplier count;
  private final String unit;
  private final String limit;
  private final long began;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();
  private boolean closed;
  private boolean drawn;

  /**
   * Begins a line, if standard error is a terminal.
   *
   * @param count returns how much is done; called by another thread
   * @param unit what is counted
   */
  LiveLine(World world, LongSupplier count, String unit, String limit) {
    this.world = world;
    this.count = count;
    this.unit = unit;
    this.limit = limit;
    this.began = System.nanoTime();
  }

  LiveLine start() {
    if (world.watched()) {
      var thread = new Thread(this::redraw, "pacegate-live-line");
      thread.setDaemon(true);
      thread.start();
    }
    return this;
  }

  private void redraw() {
    lock.lock();
    try {
      while (!closed) {
        if (!closing.await(REDRAW_MILLIS, TimeUnit.MILLISECONDS)) {
          draw();
        }
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void draw() {
    drawn = true;
    world.err().print(ERASE + text(count.getAsLong(), unit, System.nanoTime() - began, limit));
    world.err().flush();
  }

  /** Returns the line after some time. */
  static String text(long done, String unit, long nanos, String limit) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return String.format(
        Locale.ROOT,
        "%d %s in %s, %.1f/s (%s)",
        done,
        unit,
        Durations.brief(TimeUnit.SECONDS.toNanos(seconds)),
        done * 1e9 / nanos,
        limit);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      closing.signalAll();
      if (drawn) {
        world.err().print(ERASE);
        world.err().flush();
        drawn = false;
      }
    } finally {
      lock.unlock();
    }
  }
}
