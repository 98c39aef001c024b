package dev.pacegate.benchmarks.classics;

import org.apache.pekko.util.TokenBucket;

/** Pekko's own bucket, the engine of {@code throttle}, on a clock that is moved by hand. */
final class PekkoBucket extends TokenBucket {

  private long now;

  PekkoBucket(long capacity, long nanosBetweenTokens, long origin) {
    super(capacity, nanosBetweenTokens);
    this.now = origin;
    init();
  }

  /** The bucket that {@code throttle(elements, nanos, burst)} makes. */
  static PekkoBucket throttle(long elements, long nanos, long burst) {
    return new PekkoBucket(burst, nanos / elements, 0);
  }

  @Override
  public long currentTime() {
    return now;
  }

  void moveTo(long instant) {
    now = instant;
  }
}
