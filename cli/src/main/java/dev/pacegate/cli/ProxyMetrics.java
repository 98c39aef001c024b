package dev.pacegate.cli;

import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.proxy.PacedProxy;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;

/** The figures of a proxy and of its limiter, as Prometheus reads them. Thread-safe. */
final class ProxyMetrics {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private volatile @Nullable PacedProxy proxy;

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
    this.proxy = proxy;
  }

  String page() {
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
