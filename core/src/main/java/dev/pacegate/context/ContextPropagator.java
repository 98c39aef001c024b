package dev.pacegate.context;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries the context of a caller, such as its thread-locals, to the thread on which its job runs.
 *
 * <pre>{@code
 * Limiter.builder("10/1m").context(job -> snapshots.captureAll().wrap(job)).build();   // Micrometer
 * Limiter.builder("10/1m").context(job -> Context.current().wrap(job)).build();        // OpenTelemetry
 * Limiter.builder("10/1m").context(taskDecorator::decorate).build();                   // Spring
 * ContextPropagator mdc =
 *     ContextPropagator.of(MDC::getCopyOfContextMap, MDC::setContextMap, MDC::clear);
 * }</pre>
 *
 * <p>It has the shape of Spring's {@code TaskDecorator}. {@link
 * dev.pacegate.Limiter.Builder#context} says where limiters use it. Called by many threads at once,
 * and never while a lock is held.
 */
@FunctionalInterface
public interface ContextPropagator {

  /**
   * Captures the calling thread's context.
   *
   * <p>If it throws, or returns null, the request fails with that and is not sent.
   *
   * @return runs {@code job} with that context, once and on the thread that runs it, and leaves the
   *     thread as it was before. It is run at most once. If it throws before the job has begun, or
   *     does not run the job, the request fails with that, or with an {@link
   *     IllegalStateException}, and was not sent. What it throws after the job has no effect on the
   *     request, and is logged once
   */
  Runnable wrap(Runnable job);

  /**
   * Returns that of limiters which were given none: Micrometer's context-propagation, with all
   * thread-locals that its registry knows, if it is on the class path; otherwise {@link #none}.
   * While a job runs, its thread has the values of the caller and no others.
   */
  static ContextPropagator standard() {
    return MicrometerContext.found();
  }

  /** Returns one that carries nothing. */
  static ContextPropagator none() {
    return MicrometerContext.NONE;
  }

  /**
   * Returns a propagator of one thread-local value.
   *
   * @param get returns the value of the calling thread; null if it has none
   * @param set sets a value in the calling thread; never called with null
   * @param clear removes the value of the calling thread
   */
  static <T> ContextPropagator of(
      Supplier<? extends @Nullable T> get, Consumer<? super T> set, Runnable clear) {
    requireNonNull(get);
    requireNonNull(set);
    requireNonNull(clear);
    return job -> {
      requireNonNull(job);
      @Nullable T captured = get.get();
      return () -> {
        @Nullable T before = get.get();
        put(captured, set, clear);
        try {
          job.run();
        } finally {
          put(before, set, clear);
        }
      };
    };
  }

  private static <T> void put(@Nullable T value, Consumer<? super T> set, Runnable clear) {
    if (value == null) {
      clear.run();
    } else {
      set.accept(value);
    }
  }

  /** Returns a propagator of both contexts, this and {@code other}. */
  default ContextPropagator and(ContextPropagator other) {
    requireNonNull(other);
    return job -> other.wrap(wrap(job));
  }
}
