package dev.pacegate.cli;

import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.proxy.PacedProxy;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The figures of a proxy and of its limiter, as Prometheus reads them. Thread-safe. */
final class ProxyMetrics {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /**
   * @param limiter the figures of the limiter
   */
  ProxyMetrics(LimiterMetrics limiter) {
    limiter.bindTo(registry);
  }

  void add(PacedProxy proxy) {
    Gauge.builder("pacegate.proxy.open", proxy, PacedProxy::open)
        .description("Requests that wait, or are sent and not yet answered")
        .register(registry);
    FunctionCounter.builder("pacegate.proxy.rejected", proxy, PacedProxy::rejected)
        .description("Requests that the proxy answered itself: refused ones, and those that failed")
        .register(registry);
  }

  String page() {
    return registry.scrape();
  }
}
