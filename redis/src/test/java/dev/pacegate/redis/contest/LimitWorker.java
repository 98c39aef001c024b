package dev.pacegate.redis.contest;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.Await;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Pacegate with any limit, on a server that is replicated. The variant is the limit, or for keys
 * {@code LIMIT within LIMIT}, or {@code LIMIT spread over TAGS within LIMIT}, or {@code costs
 * LIMIT}: then each request costs what the peer is told as its key, some cost less than was
 * estimated, and some are given up for lost.
 */
final class LimitWorker implements Contender {

  static final int KEYS = 4;

  /** The name of the limit of keys. */
  static final String KEYED = "keys";

  static final String COSTS = "costs ";
  static final String WITHIN = " within ";
  static final String SPREAD = " spread over ";
  private static final int LARGEST_COST = 30;
  private static final Duration LONGEST_AWAY = Duration.ofMinutes(2);

  private final RedisLimiters redis;
  private final Limiter limiter;
  private final @Nullable KeyedLimiter<Integer> keys;
  private final boolean costs;

  private LimitWorker(Load load) throws InterruptedException {
    redis = connect(RedisLimiters.builder(load.redis()));
    costs = load.variant().startsWith(COSTS);
    int within = load.variant().indexOf(WITHIN);
    if (within < 0) {
      limiter = redis.limiter(load.name(), load.variant().replaceFirst("^" + COSTS, ""));
      keys = null;
    } else {
      limiter = redis.limiter(load.name(), load.variant().substring(within + WITHIN.length()));
      String[] perKey = load.variant().substring(0, within).split(SPREAD, -1);
      keys =
          perKey.length == 1
              ? redis.keyed(KEYED, perKey[0]).within(limiter).build()
              : redis
                  .spread(Integer.parseInt(perKey[1]))
                  .keyed(KEYED, perKey[0])
                  .within(limiter)
                  .build();
    }
  }

  /** A server that stands still, or is away, comes back: the test ends what it began. */
  static RedisLimiters connect(RedisLimiters.Builder builder) throws InterruptedException {
    return Await.value(
        "a connection", LONGEST_AWAY, builder.secret("a secret of all nodes")::connect);
  }

  public static void main(String[] args) throws Exception {
    Load load = Load.ofArguments(args);
    Worker.run(new LimitWorker(load), load);
  }

  @Override
  public void call(Request request) throws Exception {
    if (costs) {
      callOfSomeCost(request);
      return;
    }
    int key = ThreadLocalRandom.current().nextInt(KEYS);
    // With a cost, as a permit without one need not know its instant.
    try (Permit permit = keys == null ? limiter.acquire(1) : keys.acquire(key)) {
      request.send(key, permit.releasedAt());
      permit.answered();
    }
  }

  private void callOfSomeCost(Request request) throws Exception {
    var random = ThreadLocalRandom.current();
    int cost = 1 + random.nextInt(LARGEST_COST);
    int actual = random.nextInt(100) < 30 ? 1 + random.nextInt(cost) : cost;
    try (Permit permit = limiter.acquire(cost)) {
      request.send(actual, permit.releasedAt());
      if (random.nextInt(100) < 3) {
        permit.lost();
      } else {
        permit.settle(actual);
      }
    }
  }

  @Override
  public void close() {
    redis.close();
  }
}
