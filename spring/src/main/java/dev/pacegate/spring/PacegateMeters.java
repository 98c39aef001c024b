package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.micrometer.LimiterMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** The figures of all limiters of the properties, also of those that a reload adds. */
final class PacegateMeters implements MeterBinder, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.pacegate");

  private final List<LimiterMetrics> figures = new ArrayList<>(); // guarded by this
  private final List<MeterRegistry> registries = new ArrayList<>(); // guarded by this

  private PacegateMeters() {}

  static PacegateMeters of(PacegateLimits limits) {
    var meters = new PacegateMeters();
    limits.forEach(meters::add);
    return meters;
  }

  private synchronized void add(Limiter limiter) {
    LimiterMetrics metrics = LimiterMetrics.of(limiter);
    figures.add(metrics);
    try {
      registries.forEach(metrics::bindTo);
    } catch (IllegalStateException taken) {
      LOG.log(Level.WARNING, "no figures of {0}: {1}", limiter.name(), taken.getMessage());
    }
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    registries.add(registry);
    figures.forEach(metrics -> metrics.bindTo(registry));
  }

  /** Removes the figures from all registries. */
  @Override
  public synchronized void close() {
    registries.clear();
    figures.forEach(LimiterMetrics::close);
  }
}
