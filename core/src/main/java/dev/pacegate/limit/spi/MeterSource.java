package dev.pacegate.limit.spi;

import dev.pacegate.limit.Limit;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Where the meters of a limiter come from if its limit is counted for more than this process, such
 * as in a store that several processes share. Give it to {@code Limiter.builder(limit).source(…)}
 * or {@code KeyedLimiter.builder(limit).source(…)}.
 *
 * <p>The meters it makes are {@linkplain FedMeter fed}: they let through what the source has given
 * them, and ask it for more by {@linkplain FedMeter#errand errands}. Through the {@link NewsSink}
 * of its {@link MeterContext} the source tells a limiter what is new.
 *
 * <p>A source counts all terms of a limit. What is to be counted for this process alone is the
 * limit of another limiter.
 *
 * <p>Thread-safe. One source may serve many limiters, and one limiter many keys.
 */
public interface MeterSource {

  /**
   * Refuses a limit that this source cannot count. Called before a limiter is made and before a
   * limit is changed, outside any limiter's gate. Default: no limit is refused.
   *
   * @throws IllegalArgumentException if it cannot count it; the message names the limit and the
   *     reason
   */
  default void check(Limit limit) {}

  /**
   * Returns a fresh meter. It gets its permits by news, and has none until then unless the source
   * has them at hand. Called once per limiter or key, and again for each change of its limit.
   *
   * <p>It may be called inside the limiter's gate: it must not block, nor call the limiter or its
   * sink. News may be told from other threads at once; they have an effect as soon as the meter is
   * in its place.
   *
   * <p>The meter must count what the limit promises, as any meter: see {@link MeterProvider}. An
   * exception reaches the caller that makes the limiter, uses the key for the first time or changes
   * the limit.
   */
  FedMeter newMeter(MeterContext context);

  /**
   * Offers a change of a limit to the source before it is in force, called outside the gate by the
   * thread that sets the limit, after {@link #check}.
   *
   * @param sink that of the limiter or key whose limit is set. For the common limit of a {@code
   *     KeyedLimiter} it is the sink that stands for all keys
   * @return true if the source will call {@link NewsSink#change} when the change is in force,
   *     perhaps from within this call: until then the limiter goes on under the present limit.
   *     False if the limiter is to put the change in force now, with a {@linkplain #newMeter new
   *     meter}. Default: false
   */
  default boolean takesChange(Limit next, NewsSink sink) {
    return false;
  }

  /**
   * What a meter is made for.
   *
   * @param limit what the meter is to count
   * @param key the key, if the meter is that of a key
   * @param now the present instant of the limiter's clock, as in all calls of the meter
   * @param timeOfDay the time of day of the limiter
   * @param sink where to tell news for this meter, and for the meters that replace it
   * @param all the sink that stands for all keys, if the meter is that of a key
   */
  record MeterContext(
      Limit limit,
      Optional<Object> key,
      long now,
      InstantSource timeOfDay,
      NewsSink sink,
      Optional<NewsSink> all) {}
}
