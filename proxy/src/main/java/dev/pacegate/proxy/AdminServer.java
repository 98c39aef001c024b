package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reports a proxy's health on an address of its own: {@code /healthz} whether it runs, {@code
 * /readyz} whether requests should come, {@code /metrics} its figures. It shows nothing of any
 * request.
 */
final class AdminServer {

  /** The format that Prometheus reads. */
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private static final int IDLE_SECONDS = 60;

  private final Vertx vertx;
  private final Health health;
  private final Optional<Supplier<String>> metrics;
  private final Consumer<String> log;

  private AdminServer(
      Vertx vertx, Health health, Optional<Supplier<String>> metrics, Consumer<String> log) {
    this.vertx = vertx;
    this.health = health;
    this.metrics = metrics;
    this.log = log;
  }

  /** Returns a server that does not listen yet. */
  static HttpServer create(
      Vertx vertx, Health health, Optional<Supplier<String>> metrics, Consumer<String> log) {
    var admin = new AdminServer(vertx, health, metrics, log);
    return vertx
        .createHttpServer(
            new HttpServerOptions().setIdleTimeout(IDLE_SECONDS).setHttp2ClearTextEnabled(false))
        .requestHandler(admin::answer);
  }

  private void answer(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      end(response.putHeader("Allow", "GET, HEAD"), 405, "only GET and HEAD");
      return;
    }
    switch (request.path()) {
      case "/healthz" -> end(response, 200, "ok");
      case "/readyz" -> ready(response);
      case "/metrics" ->
          metrics.ifPresentOrElse(
              page -> answerMetrics(response, page), () -> end(response, 404, "no metrics"));
      default -> end(response, 404, "/healthz, /readyz or /metrics");
    }
  }

  private void ready(HttpServerResponse response) {
    Optional<String> reason = health.unreadyReason();
    end(response, reason.isEmpty() ? 200 : 503, reason.orElse("ready"));
  }

  /** Not on the event loop: what makes the page is not ours. */
  private void answerMetrics(HttpServerResponse response, Supplier<String> text) {
    vertx
        .executeBlocking(() -> requireNonNull(text.get(), "no text"))
        .onComplete(
            page -> response.putHeader("Content-Type", PROMETHEUS_TEXT).end(page),
            failure -> {
              log.accept("the metrics failed: " + failure);
              end(response, 500, "the metrics failed");
            });
  }

  private static void end(HttpServerResponse response, int status, String line) {
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("Cache-Control", "no-store")
        .end(line + "\n");
  }
}
