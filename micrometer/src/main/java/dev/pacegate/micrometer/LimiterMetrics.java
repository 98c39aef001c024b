package dev.pacegate.micrometer;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of a limiter, for a meter registry.
 *
 * <pre>{@code
 * Limiter api = Limiter.builder("peer(10/1m)").name("api").build();
 * LimiterMetrics.of(api).bindTo(registry);
 * }</pre>
 *
 * <p>A figure is read from the limiter when the registry asks for it. A request pays nothing. Every
 * figure has the tag {@code limiter} with the limiter's name. A limiter without a name is named by
 * its limit. The README of this module lists the figures.
 *
 * <p>The registry refers to the limiter until {@link #close}: a figure never vanishes while it is
 * shown. Close the metrics of a limiter that ends before the program does. Thread-safe.
 */
public final class LimiterMetrics implements MeterBinder, AutoCloseable {

  /** The most keys whose figures may be shown. */
  public static final int MAX_KEYS = 100;

  private final Figures figures;
  private final Tags tags;
  private final Map<MeterRegistry, Registration> bound = new HashMap<>(); // guarded by this

  private LimiterMetrics(Figures figures, Tags tags) {
    this.figures = figures;
    this.tags = tags;
  }

  private static LimiterMetrics of(Figures figures) {
    return new LimiterMetrics(figures, Tags.empty());
  }

  /**
   * Returns the figures of {@code limiter}. That may also be a limiter that several processes
   * share, or the limiter of one key.
   */
  public static LimiterMetrics of(Limiter limiter) {
    return of(new LimiterFigures(limiter));
  }

  /**
   * Returns the figures of all keys of {@code limiter} together, and how many keys are known. No
   * key becomes a tag. The tag {@code limiter} has the name of {@link KeyedLimiter#all()}.
   */
  public static LimiterMetrics of(KeyedLimiter<?> limiter) {
    return of(limiter, List.of());
  }

  /**
   * As {@link #of(KeyedLimiter)}, and the figures of the given keys, each with its {@code
   * toString()} as the tag {@code key}.
   *
   * @throws IllegalArgumentException if there are more than {@value #MAX_KEYS} keys
   */
  public static <K> LimiterMetrics of(KeyedLimiter<K> limiter, Collection<? extends K> keys) {
    return of(new KeyedFigures<>(limiter, keys));
  }

  /**
   * Returns how many messages are queued in {@code throttler}; {@code name} becomes the tag {@code
   * throttler}. Its limiter has figures of its own.
   */
  public static LimiterMetrics of(String name, Throttler<?> throttler) {
    requireNonNull(name);
    requireNonNull(throttler);
    return of(
        meters ->
            meters
                .with("throttler", name)
                .gauge("pacegate.throttler.queued", "Messages that are queued", throttler::queued));
  }

  /**
   * Returns how many tasks are queued in {@code executor}; {@code name} becomes the tag {@code
   * executor}. Its limiter has figures of its own.
   */
  public static LimiterMetrics of(String name, ThrottledExecutorService executor) {
    requireNonNull(name);
    requireNonNull(executor);
    return of(
        meters ->
            meters
                .with("executor", name)
                .gauge("pacegate.executor.queued", "Tasks that wait to start", executor::queued));
  }

  /** Returns the same figures with these tags in addition, not bound to any registry. */
  public LimiterMetrics tags(Iterable<Tag> more) {
    return new LimiterMetrics(figures, tags.and(more));
  }

  /**
   * Returns the same figures with these tags in addition, not bound to any registry.
   *
   * @param more keys and values in turn
   */
  public LimiterMetrics tags(String... more) {
    return tags(Tags.of(more));
  }

  /**
   * Adds the figures to {@code registry}. Has no effect if they are there already.
   *
   * @throws IllegalStateException if the registry has figures of another limiter of this name and
   *     these tags; nothing has been added
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (!bound.containsKey(registry)) {
      var registration = new Registration(registry, tags);
      figures.addTo(registration);
      bound.put(registry, registration);
    }
  }

  /** Removes the figures from all registries that they were added to. The limiter stays open. */
  @Override
  public synchronized void close() {
    bound.values().forEach(Registration::remove);
    bound.clear();
  }
}
