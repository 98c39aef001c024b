package dev.pacegate.cli;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Progress on a terminal, of what takes more than two seconds: a line that is redrawn in place and
 * erased when closed, or lines one below the other where that cannot be.
 */
final class LiveLine implements AutoCloseable {

  /** Erases what is in the present line of the terminal. */
  static final String ERASE = "\r\033[K";

  private static final long LOOK_MILLIS = 250;
  private static final int PATIENCE = 8; // looks before the first line
  private static final int REPEAT = 40; // looks from line to line

  private final World world;
  private final Progress progress;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();
  private boolean closed;
  private boolean drawn;

  /**
   * Begins a line, if standard error is a terminal.
   *
   * @param progress is used by another thread
   */
  LiveLine(World world, Progress progress) {
    this.world = world;
    this.progress = progress;
  }

  LiveLine start() {
    if (world.screen() != World.Screen.NONE) {
      var thread = new Thread(this::redraw, "pacegate-live-line");
      thread.setDaemon(true);
      thread.start();
    }
    return this;
  }

  private void redraw() {
    boolean isLive = world.screen() == World.Screen.LIVE;
    lock.lock();
    try {
      for (int looks = 1; !closed; looks++) {
        if (!closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          progress.look();
          if (looks >= PATIENCE && (isLive || (looks - PATIENCE) % REPEAT == 0)) {
            draw(isLive);
          }
        }
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void draw(boolean isLive) {
    String words = World.oneLine(progress.text());
    if (isLive) {
      drawn = true;
      world.err().print(ERASE + cut(words, Width.of(world.environment()) - 1));
      world.err().flush();
    } else {
      world.say(words);
    }
  }

  /** What is wider than the terminal could not be erased. */
  private static String cut(String words, int width) {
    return words.length() <= width ? words : words.substring(0, width - 1) + "…";
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
