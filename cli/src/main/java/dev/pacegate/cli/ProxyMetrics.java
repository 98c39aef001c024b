package dev.pacegate.cli;

import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.proxy.PacedProxy;
import dev.pacegate.proxy.ProxyRoutes;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The figures of a proxy and of its limiters, as Prometheus reads them. Thread-safe. */
final class ProxyMetrics {

  /** These begin with 0: a rate misses the first of a figure that was not there. */
  private static final List<Integer> USUAL_REFUSALS = List.of(429, 502, 503, 504);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private volatile @Nullable PacedProxy proxy;

  private final MeterBinder limits;

  /**
   * @param limits the figures of limiters; asked again for each page, as there may be more
   */
  ProxyMetrics(MeterBinder limits) {
    this.limits = limits;
  }

  /** Returns the figures of the limits of routes, each by its name. */
  static ProxyMetrics of(ProxyRoutes routes) {
    var shown = new ConcurrentHashMap<String, LimiterMetrics>();
    return new ProxyMetrics(
        registry -> {
          routes
              .limiters()
              .forEach(
                  (name, limiter) ->
                      shown.computeIfAbsent(name, added -> LimiterMetrics.of(limiter)));
          routes
              .keyedLimiters()
              .forEach(
                  (name, keyed) -> shown.computeIfAbsent(name, added -> LimiterMetrics.of(keyed)));
          shown.values().forEach(figures -> figures.bindTo(registry));
          FunctionCounter.builder("pacegate.proxy.reloads.refused", routes, ProxyRoutes::refused)
              .description("Changed files that were refused, so that an older one is in force")
              .register(registry);
        });
  }

  void add(PacedProxy proxy) {
    Gauge.builder("pacegate.proxy.open", proxy, PacedProxy::open)
        .description("Requests that wait, or are sent and not yet answered")
        .register(registry);
    USUAL_REFUSALS.forEach(status -> addRejected(proxy, status));
    this.proxy = proxy;
  }

  /** Called by one thread at a time. */
  String page() {
    limits.bindTo(registry);
    PacedProxy shown = proxy;
    if (shown != null) {
      shown.rejected().keySet().forEach(status -> addRejected(shown, status));
    }
    return registry.scrape();
  }

  /** Does nothing if it is there already. */
  private void addRejected(PacedProxy shown, int status) {
    FunctionCounter.builder(
            "pacegate.proxy.rejected", shown, now -> now.rejected().getOrDefault(status, 0L))
        .description("Requests that got no whole answer of the upstream")
        .tag("status", Integer.toString(status))
        .register(registry);
  }
}
