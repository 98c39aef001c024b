package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.WhenDown;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes limiters that processes share through Redis. */
final class RedisMaker implements LimiterMaker {

  private final RedisLimiters redis;

  private RedisMaker(RedisLimiters redis) {
    this.redis = redis;
  }

  /**
   * Connects.
   *
   * @throws InvalidConfigurationPropertyValueException if the address is none; the message does not
   *     show it, as it may hold a password
   */
  static LimiterMaker connect(
      String store, PacegateProperties properties, ContextPropagator context) {
    RedisLimiters.Builder builder = builder(store).context(context);
    builder.whenDown(
        properties.whenDown() == PacegateProperties.StoreDown.FAIL ? WhenDown.FAIL : WhenDown.WAIT);
    if (properties.fresh()) {
      builder.fresh();
    }
    return new RedisMaker(builder.connect());
  }

  private static RedisLimiters.Builder builder(String store) {
    try {
      return RedisLimiters.builder(store);
    } catch (IllegalArgumentException wrong) {
      throw new InvalidConfigurationPropertyValueException(
          "pacegate.store",
          "(not shown)",
          "Allowed is the address of a server, or of a node of a cluster:"
              + " redis://user:password@host:6379/0, or rediss://…; or of Sentinels:"
              + " redis-sentinel://user:password@host:26379,other:26379/0#name");
    }
  }

  @Override
  public void check(String name, Limit limit) {
    redis.source(name).check(limit);
  }

  @Override
  public boolean shares() {
    return true;
  }

  @Override
  public Limiter make(String name, Limit limit) {
    return redis.limiter(name, limit);
  }

  @Override
  public void close() {
    redis.close();
  }
}
