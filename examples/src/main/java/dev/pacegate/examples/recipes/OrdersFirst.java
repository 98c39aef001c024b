package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.Share;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.limit.Cost;
import java.net.http.HttpClient;
import java.time.Duration;

/** An exchange whose orders do not wait for its reads. */
final class OrdersFirst {

  final Limiter exchange =
      Limiter.builder("aligned(6000/1m)")
          .lane("orders", Share.weight(1).reserving(20)) // 20 % of the limit
          .lane("reads", Share.weight(1))
          .build();

  final HttpClient orders = client("orders", Duration.ofSeconds(2)); // a late order is useless
  final HttpClient reads = client("reads", Duration.ofMinutes(2));

  HttpClient client(String lane, Duration maxWait) {
    return PacedHttpClient.builder(HttpClient.newHttpClient())
        .limiter(exchange.lane(lane))
        .cost(request -> Cost.of(request.uri().getPath().startsWith("/api/v3/depth") ? 50 : 1))
        .maxWait(maxWait)
        .build();
  }
}
