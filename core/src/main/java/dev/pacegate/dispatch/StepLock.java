package dev.pacegate.dispatch;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A lock under which single steps are done. */
final class StepLock extends ReentrantLock {

  private static final long serialVersionUID = 1;

  /** Does a step under the lock. */
  <R extends @Nullable Object> R locked(Supplier<R> step) {
    lock();
    try {
      return step.get();
    } finally {
      unlock();
    }
  }
}
