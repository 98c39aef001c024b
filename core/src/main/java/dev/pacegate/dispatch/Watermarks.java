package dev.pacegate.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A high and a low mark: a loop that polls is paused at the one and resumed at the other, in turns.
 *
 * <p>What is to be called is decided with each change of the queue, under its lock; the calls are
 * made outside of it, one at a time, by the thread that comes first. A change that is undone before
 * its call has been made needs none. So the last call made is the right one, and no call is made
 * twice in a row.
 */
final class Watermarks {

  static final Watermarks NONE = new Watermarks(0, Integer.MAX_VALUE, () -> {}, () -> {});

  private final int low;
  private final int high;
  private final Runnable pause;
  private final Runnable resume;

  private final AtomicBoolean telling = new AtomicBoolean();
  private volatile boolean wanted; // whether the poll loop is to be paused: under the queue's lock
  private volatile boolean told; // whether it was told to be: by the thread that tells

  Watermarks(int low, int high, Runnable pause, Runnable resume) {
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
  Watermarks copy() {
    return new Watermarks(low, high, pause, resume);
  }

  /** Takes note of how many are queued: with each change, under the lock of the queue. */
  void note(int queued) {
    wanted = queued >= high || (wanted && queued > low);
  }

  /**
   * Makes the calls that are due, unless another thread does: that one looks again before it
   * leaves. To be called without a lock.
   */
  void tell() {
    while (wanted != told && telling.compareAndSet(false, true)) {
      try {
        callOnce();
      } finally {
        telling.set(false);
      }
    }
  }

  private void callOnce() {
    boolean pausing = wanted;
    if (pausing == told) {
      return;
    }
    told = pausing;
    Failures.contain("a call at the high or low mark", pausing ? pause : resume);
  }
}
