package dev.pacegate.examples.recipes;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import dev.pacegate.Limiter;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.time.Duration;

/** Retries around the limiter, so that each attempt takes a permit. */
final class Retries {

  private final Api server;

  Retries(Api server) {
    this.server = server;
  }

  final Limiter api = Limiter.of("peer(10/1m)");

  String withResilience4j(String text) throws Exception {
    return retry.executeCallable(() -> api.call(() -> server.send(text)));
  }

  final Retry retry =
      Retry.of(
          "api",
          RetryConfig.custom()
              .maxAttempts(3)
              .waitDuration(Duration.ofMillis(100))
              .retryExceptions(IOException.class)
              .build());

  String withFailsafe(String text) {
    return Failsafe.with(policy).get(() -> api.call(() -> server.send(text)));
  }

  final RetryPolicy<Object> policy =
      RetryPolicy.builder()
          .handle(IOException.class)
          .withMaxAttempts(3)
          .withDelay(Duration.ofMillis(100))
          .build();
}
