package dev.pacegate;

/**
 * A job without a result: a {@link Runnable} that says what it may throw.
 *
 * <p>A lambda is taken for a task where a runnable is taken as well, as a task is one.
 *
 * @param <X> what it may throw; more than one kind make it {@link Exception}
 */
@FunctionalInterface
public interface Task<X extends Exception> extends Runnable {

  /** Does the job. */
  void perform() throws X;

  /**
   * Does the job as a runnable.
   *
   * @throws java.util.concurrent.CompletionException if the job throws what a runnable may not,
   *     which is the cause; after an interrupt the thread is still interrupted
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
