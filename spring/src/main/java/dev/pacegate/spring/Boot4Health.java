package dev.pacegate.spring;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** {@link StoreHealth} as Boot 4 shows it. */
final class Boot4Health implements HealthIndicator {

  private final KnownLimiters limiters;

  Boot4Health(KnownLimiters limiters) {
    this.limiters = limiters;
  }

  @Override
  public Health health() {
    var store = StoreHealth.of(limiters);
    return (store.fails() ? Health.down() : Health.up()).withDetails(store.reasons()).build();
  }
}
