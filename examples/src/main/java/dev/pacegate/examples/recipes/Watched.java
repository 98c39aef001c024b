package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.micrometer.LimiterMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** A limiter that Prometheus sees. */
final class Watched {

  final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  final Limiter api = Limiter.builder("peer(10/1m)").name("api").build();

  Watched() {
    LimiterMetrics.of(api).bindTo(registry);
  }

  String scrape() {
    return registry.scrape(); // what /metrics returns
  }
}
