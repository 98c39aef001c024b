package dev.pacegate.micrometer;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import java.util.Collection;
import java.util.Set;

/**
 * The figures of a keyed limiter, and of those of its keys that were named.
 *
 * @param <K> the type of keys
 */
final class KeyedFigures<K> implements Figures {

  private final KeyedLimiter<K> limiter;
  private final Set<K> keys;

  /**
   * @throws IllegalArgumentException if there are too many keys
   */
  KeyedFigures(KeyedLimiter<K> limiter, Collection<? extends K> keys) {
    this.limiter = limiter;
    this.keys = Set.copyOf(keys);
    if (this.keys.size() > LimiterMetrics.MAX_KEYS) {
      throw new IllegalArgumentException(
          "at most "
              + LimiterMetrics.MAX_KEYS
              + " keys may have figures of their own: "
              + this.keys.size());
    }
  }

  @Override
  public void addTo(Registration all) {
    new LimiterFigures(limiter.all()).addTo(all);
    Registration meters = all.with("limiter", limiter.all().name());
    meters.gauge("pacegate.keys.known", "Keys that are known now", limiter::size);
    for (K key : keys) {
      add(meters.with("key", key.toString()), limiter.limiter(key));
    }
  }

  private void add(Registration meters, Limiter key) {
    meters.counter(
        "pacegate.key.released",
        "Requests of the key that were granted a permit since it has been known",
        () -> key.snapshot().granted());
    meters.gauge(
        "pacegate.key.waiting", "Requests of the key that wait", () -> key.snapshot().waiting());
    meters.gauge(
        "pacegate.key.open", "Permits of the key that are open", () -> key.snapshot().open());
    meters.gauge(
        "pacegate.key.used.most",
        "The largest share of the key's limit used at once since it has been known",
        () -> LimitShare.most(key.snapshot()));
    meters.gauge(
        "pacegate.key.paused", "1 while the key is paused", () -> key.snapshot().paused() ? 1 : 0);
  }
}
