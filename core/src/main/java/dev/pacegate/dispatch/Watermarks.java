package dev.pacegate.dispatch;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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

  private final ReentrantLock lock = new ReentrantLock();
  private boolean wanted; // the rest is guarded by the lock: whether the poll loop is to be paused
  private boolean told; // whether it was told to be
  private boolean telling;

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
    return this == NONE ? NONE : new Watermarks(low, high, pause, resume);
  }

  /** Takes note of how many are queued: with each change, in the order of the changes. */
  void note(int queued) {
    if (this == NONE) {
      return;
    }
    lock.lock();
    try {
      wanted = queued >= high || (wanted && queued > low);
    } finally {
      lock.unlock();
    }
  }

  /** Makes the calls that are due, unless another thread does. To be called without a lock. */
  void tell() {
    if (this == NONE) {
      return;
    }
    for (Runnable call = first(); call != null; call = next()) {
      try {
        call.run();
      } catch (Throwable failure) {
        Failures.log("a call at the high or low mark failed", failure);
      }
    }
  }

  private @Nullable Runnable first() {
    lock.lock();
    try {
      return telling ? null : next();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      telling = wanted != told;
      told = wanted;
      return !telling ? null : wanted ? pause : resume;
    } finally {
      lock.unlock();
    }
  }
}
