package dev.pacegate.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Progress on a terminal, of what takes more than two seconds: a line that is redrawn in place and
 * erased when closed, or lines one below the other where that cannot be. Nothing is shown while the
 * process is a job in the background.
 */
final class LiveLine implements AutoCloseable {

  /** Erases what is in the present line of the terminal. */
  static final String ERASE = "\r\033[K";

  private static final long LOOK_MILLIS = 250;
  private static final long PATIENCE_MILLIS = 200; // with a terminal that takes nothing
  private static final int UNSEEN = 8; // looks before the first line
  private static final int REPEAT = 40; // looks from line to line
  private static final int NARROWEST = 10;
  private static final int ROOM = 1 + "^C".length(); // which the terminal writes for Ctrl-C

  private final World world;
  private final Progress progress;
  private final CountDownLatch closing = new CountDownLatch(1);
  private boolean drawn; // guarded by the terminal's lock

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
    try {
      for (int looks = 1; !closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS); looks++) {
        progress.look();
        boolean isDue = looks >= UNSEEN && (isLive || (looks - UNSEEN) % REPEAT == 0);
        if (isDue) {
          // All may read a file or start a process, so before any lock.
          int columns = isLive ? world.columns().getAsInt() : 0;
          String words = World.oneLine(progress.text());
          if (world.foreground().getAsBoolean()) {
            draw(words, isLive, columns);
          }
        }
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException unknown) {
      // Such as of a limiter that was closed meanwhile. The work goes on without a line.
    }
  }

  private void draw(String words, boolean isLive, int columns) {
    ReentrantLock terminal = world.terminal();
    terminal.lock();
    try {
      if (closing.getCount() == 0) {
        return;
      } else if (isLive) {
        drawn = true;
        world.err().print(ERASE + cut(words, columns));
        world.err().flush();
      } else {
        world.say(words);
      }
    } finally {
      terminal.unlock();
    }
  }

  /** What is wider than the terminal could not be erased, nor could it with a sign behind it. */
  static String cut(String words, int columns) {
    return Cells.shortened(words, Math.max(NARROWEST, columns - ROOM));
  }

  /** Erases the line, unless the terminal takes nothing. */
  @Override
  public void close() {
    closing.countDown();
    ReentrantLock terminal = world.terminal();
    try {
      if (terminal.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        try {
          erase();
        } finally {
          terminal.unlock();
        }
      }
    } catch (InterruptedException noTime) {
      Thread.currentThread().interrupt();
    }
  }

  private void erase() {
    if (drawn) {
      world.erase();
      world.err().flush();
      drawn = false;
    }
  }
}
