package dev.pacegate.redis;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;

/**
 * Limits whose keys are spread over a number of hash tags, so that several nodes of a Redis Cluster
 * carry them:
 *
 * <pre>{@code
 * Limiter all = redis.limiter("service", "peer(1000/1s)");
 * KeyedLimiter<String> api = redis.spread(16).keyed("accounts", "peer(10/1m)").within(all).build();
 * }</pre>
 *
 * <p>A key has one tag for ever, by its hash. Each tag counts its keys as a limit of its own would:
 * what one node forgets makes its keys wait for a fence, and no others. The promise for each key is
 * that of {@link RedisLimiters#keyed(String, String)}, and a limit for all keys is not spread.
 *
 * <p>All processes must state the same number for a name. One that states another is refused before
 * it serves any key or changes the limit, also if the store has lost one of the records.
 * <b>Assumed</b>: if the store loses the records of the first two tags and keeps another, no
 * process with another number calls before one with the present number does; and there is no
 * process of an earlier version, which cannot spread keys, if it loses that of the first tag.
 * Otherwise a key may get twice its limit. To change the number, stop all processes and delete all
 * keys of the name in the store, which costs a fence.
 *
 * <p>A change of the limit reaches the first tag, and then the others: until then, and while the
 * node of the first is away, keys of a tag have the limit that their tag has. A process must reach
 * the nodes of the first two tags before it uses a tag, and again once that has answered first, as
 * the tag may have lost its record since, and whenever its server is replaced, restarted without
 * {@link RedisLimiters.Builder#durable()}, or has lost its record.
 *
 * <p>Thread-safe.
 *
 * @see RedisLimiters#spread(int)
 */
public final class Spread {

  private final RedisLimiters limiters;
  private final int tags;

  Spread(RedisLimiters limiters, int tags) {
    Tags.requireCount(tags);
    this.limiters = limiters;
    this.tags = tags;
  }

  /**
   * As {@link RedisLimiters#keyed(String, String)}, with the keys spread.
   *
   * @throws IllegalArgumentException also if the name has a closing brace
   */
  public KeyedLimiter.Builder keyed(String name, String perKey) {
    return keyed(name, Limits.parse(perKey));
  }

  /** As {@link #keyed(String, String)}. */
  public KeyedLimiter.Builder keyed(String name, Limit perKey) {
    return limiters.keyed(name, perKey, tags);
  }
}
