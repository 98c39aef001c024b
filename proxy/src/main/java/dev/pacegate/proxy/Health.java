package dev.pacegate.proxy;

import dev.pacegate.Limiter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.Optional;

/** Whether requests should be sent to a proxy now. Thread-safe. */
final class Health {

  private final Limiter limiter; // of all requests
  private volatile boolean draining;

  Health(Limiter limiter) {
    this.limiter = limiter;
  }

  /** No further connections are taken. */
  void drain() {
    draining = true;
  }

  /** Returns why no requests should come; empty if they may. */
  Optional<String> obstacle() {
    if (draining) {
      return Optional.of("draining");
    }
    return limiter.snapshot().unavailable().map(reason -> reason + timeLeft());
  }

  private String timeLeft() {
    Duration wait = limiter.estimateWait(1);
    return wait.isZero() ? "" : ": for " + Durations.brief(wait) + " more";
  }
}
