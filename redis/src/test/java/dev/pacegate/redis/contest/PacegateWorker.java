package dev.pacegate.redis.contest;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.time.Durations;

/** Pacegate. Variants: "peer" (as the peer counts), "starts", "fresh". */
final class PacegateWorker implements Contender {

  private final RedisLimiters redis;
  private final Limiter limiter;

  private PacegateWorker(Load load) {
    redis = connect(load);
    String window = load.most() + "/" + Durations.format(load.interval().toNanos());
    limiter =
        redis.limiter(
            load.name(),
            load.variant().equals("starts") ? window : "peer(" + window + ", unanswered=2s)");
  }

  private static RedisLimiters connect(Load load) {
    var builder = RedisLimiters.builder(load.redis());
    if (load.variant().equals("fresh")) {
      builder.fresh();
    }
    return builder.connect();
  }

  public static void main(String[] args) throws Exception {
    Load load = Load.ofArguments(args);
    Worker.run(new PacegateWorker(load), load);
  }

  @Override
  public void call(Request request) throws Exception {
    try (Permit permit = limiter.acquire()) {
      request.send();
      permit.answered();
    }
  }

  @Override
  public void close() {
    redis.close();
  }
}
