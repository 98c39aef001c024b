package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether requests should be sent to a proxy now. Thread-safe. */
final class Health {

  private final Supplier<List<Limiter>> all;
  private volatile boolean draining;

  /**
   * @param all the limiters of all requests
   */
  Health(Supplier<List<Limiter>> all) {
    this.all = all;
  }

  /** No further connections are taken. */
  void drain() {
    draining = true;
  }

  /** Returns why no requests should come; empty if they may. */
  Optional<String> unreadyReason() {
    return draining
        ? Optional.of("draining")
        : all.get().stream()
            .flatMap(limiter -> limiter.snapshot().unavailable().stream())
            .findFirst();
  }
}
