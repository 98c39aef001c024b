package dev.pacegate;

/**
 * A job that a limiter runs once it holds a permit.
 *
 * @param <T> what it returns
 * @param <X> what it may throw; more than one kind make it {@link Exception}
 */
@FunctionalInterface
public interface Job<T, X extends Exception> {

  /** Does the job. */
  T run() throws X;
}
