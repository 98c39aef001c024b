package dev.pacegate;

/**
 * A job without a result.
 *
 * @param <X> what it may throw; more than one kind make it {@link Exception}
 */
@FunctionalInterface
public interface Task<X extends Exception> {

  /** Does the job. */
  void run() throws X;
}
