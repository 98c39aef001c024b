package dev.pacegate.dispatch;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A high and a low mark: whoever polls is paused at the one and resumed at the other, in turns.
 *
 * <p>The calls are made one at a time, so their order is that of the changes.
 */
final class Marks {

  static final Marks NONE = new Marks(0, Integer.MAX_VALUE, () -> {}, () -> {});

  private final int low;
  private final int high;
  private final Runnable pause;
  private final Runnable resume;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean paused; // guarded by the lock

  Marks(int low, int high, Runnable pause, Runnable resume) {
    if (low < 0 || low >= high) {
      throw new IllegalArgumentException(
          "the low mark must be at least 0 and below the high mark: " + low + ", " + high);
    }
    this.low = low;
    this.high = high;
    this.pause = pause;
    this.resume = resume;
  }

  /** Returns the same marks, of which nothing has been paused. */
  Marks copy() {
    return new Marks(low, high, pause, resume);
  }

  /** To be told how many are queued after each change. */
  void after(int queued) {
    if (high == Integer.MAX_VALUE) {
      return;
    }
    lock.lock();
    try {
      if (!paused && queued >= high) {
        paused = true;
        pause.run();
      } else if (paused && queued <= low) {
        paused = false;
        resume.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
