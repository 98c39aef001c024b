package dev.pacegate;

import dev.pacegate.result.Unchecked;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that a limiter runs with a permit: a {@link Callable} with a typed exception.
 *
 * <p>It is both a callable and a supplier, so that a lambda is not ambiguous where those are taken
 * as well.
 *
 * @param <T> what it returns
 * @param <X> what it may throw; if of several kinds, {@link Exception}
 */
@FunctionalInterface
public interface Job<T extends @Nullable Object, X extends Exception>
    extends Callable<T>, Supplier<T> {

  /** Runs the job. */
  @Override
  T call() throws X;

  /**
   * Runs the job as a supplier.
   *
   * @throws java.util.concurrent.CompletionException if the job throws a checked exception, which
   *     is the cause; after an interrupt the thread is still interrupted
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
