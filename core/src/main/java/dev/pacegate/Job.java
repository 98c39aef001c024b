package dev.pacegate;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that a limiter runs once it holds a permit: a {@link Callable} that says what it may throw.
 *
 * <p>A lambda is taken for a job where a callable or a supplier is taken as well, as a job is both.
 *
 * @param <T> what it returns
 * @param <X> what it may throw; more than one kind make it {@link Exception}
 */
@FunctionalInterface
public interface Job<T extends @Nullable Object, X extends Exception>
    extends Callable<T>, Supplier<T> {

  /** Does the job. */
  @Override
  T call() throws X;

  /**
   * Does the job as a supplier.
   *
   * @throws java.util.concurrent.CompletionException if the job throws what a supplier may not,
   *     which is the cause; after an interrupt the thread is still interrupted
   */
  @Override
  @SuppressWarnings("FunctionalInterfaceMethodChanged") // it does the same
  default T get() {
    try {
      return call();
    } catch (Exception failure) {
      throw Unchecked.of(failure);
    }
  }
}
