package dev.pacegate.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A high and a low watermark: a poll loop is paused at the high one and resumed at the low one, in
 * turns.
 *
 * <p>Each change of the queue decides, under the queue's lock, which call is due. Calls are made
 * outside the lock, one at a time, by the first thread to come. If a change is undone before its
 * call was made, no call is due. So the last call made is the right one, and no call is made twice
 * in a row.
 */
final class Watermarks {

  static final Watermarks NONE = new Watermarks(0, Integer.MAX_VALUE, () -> {}, () -> {});

  private final int low;
  private final int high;
  private final Runnable pause;
  private final Runnable resume;

  private final AtomicBoolean telling = new AtomicBoolean();
  private volatile boolean wanted; // whether to pause the poll loop: under the queue's lock
  private volatile boolean told; // whether it was told to pause: by the thread that calls

  Watermarks(int low, int high, Runnable pause, Runnable resume) {
    if (low < 0 || low >= high) {
      throw new IllegalArgumentException(
          "the low watermark must be at least 0 and below the high one: low "
              + low
              + ", high "
              + high);
    }
    this.low = low;
    this.high = high;
    this.pause = pause;
    this.resume = resume;
  }

  /** Returns the same watermarks, in their initial state. */
  Watermarks copy() {
    return new Watermarks(low, high, pause, resume);
  }

  /** Records the length of the queue, with each change and under the queue's lock. */
  void note(int queued) {
    wanted = queued >= high || (wanted && queued > low);
  }

  /**
   * Makes the calls that are due, unless another thread is doing so, which looks again before it
   * leaves. Call it without a lock.
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
    Failures.contain("a call at a watermark", pausing ? pause : resume);
  }
}
