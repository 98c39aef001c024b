package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import java.util.Optional;

/** Whether requests should be sent to a proxy now. Thread-safe. */
final class Health {

  private final Limiter all;
  private volatile boolean draining;

  /**
   * @param all the limiter of all requests
   */
  Health(Limiter all) {
    this.all = all;
  }

  /** No further connections are taken. */
  void drain() {
    draining = true;
  }

  /** Returns why no requests should come; empty if they may. */
  Optional<String> unreadyReason() {
    return draining ? Optional.of("draining") : all.snapshot().unavailable();
  }
}
