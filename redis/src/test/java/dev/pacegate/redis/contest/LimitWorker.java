package dev.pacegate.redis.contest;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Pacegate with any limit, on a server that is replicated. The variant is the limit, or for keys
 * {@code LIMIT within LIMIT}.
 */
final class LimitWorker implements Contender {

  static final int KEYS = 4;
  private static final String WITHIN = " within ";

  private final RedisLimiters redis;
  private final Limiter limiter;
  private final @Nullable KeyedLimiter<Integer> keys;

  private LimitWorker(Load load) {
    redis = RedisLimiters.builder(load.redis()).secret("a secret of all nodes").connect();
    int within = load.variant().indexOf(WITHIN);
    if (within < 0) {
      limiter = redis.limiter(load.name(), load.variant());
      keys = null;
    } else {
      limiter = redis.limiter(load.name(), load.variant().substring(within + WITHIN.length()));
      keys = redis.keyed("keys", load.variant().substring(0, within)).within(limiter).build();
    }
  }

  public static void main(String[] args) throws Exception {
    Load load = Load.ofArguments(args);
    Worker.run(new LimitWorker(load), load);
  }

  @Override
  public void call(Request request) throws Exception {
    int key = ThreadLocalRandom.current().nextInt(KEYS);
    try (Permit permit = keys == null ? limiter.acquire() : keys.acquire(key)) {
      request.send(key, permit.releasedAt());
      permit.answered();
    }
  }

  @Override
  public void close() {
    redis.close();
  }
}
