package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import java.io.IOException;

/** One limit for all pods. */
final class ThreePods implements AutoCloseable {

  private final Api server;
  private final RedisLimiters redis;
  final Limiter api;

  ThreePods(Api server, String uri) {
    this.server = server;
    redis = RedisLimiters.connect(uri); // redis://redis:6379
    api = redis.limiter("partner-api", "peer(10/1s, unanswered=1s)"); // the same name in each pod
  }

  String fetch(String page) throws IOException, InterruptedException {
    return api.call(() -> server.send(page));
  }

  @Override
  public void close() {
    redis.close();
  }
}
