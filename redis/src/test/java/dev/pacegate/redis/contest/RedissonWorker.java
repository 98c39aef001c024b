package dev.pacegate.redis.contest;

import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's rate limiter, one limit for all processes. */
final class RedissonWorker implements Contender {

  private final RedissonClient client;
  private final RRateLimiter limiter;

  private RedissonWorker(Load load) {
    var config = new Config();
    config.useSingleServer().setAddress(load.redis());
    client = Redisson.create(config);
    limiter = client.getRateLimiter(load.name());
    limiter.trySetRate(RateType.OVERALL, load.most(), load.interval());
  }

  public static void main(String[] args) throws Exception {
    Load load = Load.ofArguments(args);
    Worker.run(new RedissonWorker(load), load);
  }

  @Override
  public void call(Request request) throws Exception {
    limiter.acquire();
    request.send();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
