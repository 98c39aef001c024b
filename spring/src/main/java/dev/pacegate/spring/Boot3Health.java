package dev.pacegate.spring;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** {@link StoreHealth} as Boot 3.5 shows it. */
final class Boot3Health implements HealthIndicator {

  private final KnownLimiters limiters;

  Boot3Health(KnownLimiters limiters) {
    this.limiters = limiters;
  }

  @Override
  public Health health() {
    var store = StoreHealth.of(limiters);
    return (store.fails() ? Health.down() : Health.up()).withDetails(store.reasons()).build();
  }
}
