package dev.pacegate;

import dev.pacegate.result.Unchecked;

/**
 * A job without a result: a {@link Runnable} with a typed exception.
 *
 * <p>It is a runnable, so that a lambda is not ambiguous where a runnable is taken as well.
 *
 * @param <X> what it may throw; if of several kinds, {@link Exception}
 */
@FunctionalInterface
public interface Task<X extends Exception> extends Runnable {

  /** Runs the job. */
  void perform() throws X;

  /**
   * Runs the job as a runnable.
   *
   * @throws java.util.concurrent.CompletionException if the job throws a checked exception, which
   *     is the cause; after an interrupt the thread is still interrupted
   */
  @Override
  @SuppressWarnings("FunctionalInterfaceMethodChanged") // it does the same
  default void run() {
    try {
      perform();
    } catch (Exception failure) {
      throw Unchecked.of(failure);
    }
  }
}
