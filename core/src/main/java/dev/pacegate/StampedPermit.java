package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.time.Duration;

/** A permit that needs no end but knows when it was released, and after what wait. */
record StampedPermit(long releasedAt, long waitedNanos) implements Permit {

  @Override
  public void close() {}

  @Override
  public void unused() {}

  @Override
  public void lost() {}

  @Override
  public void failed(Throwable failure) {}

  @Override
  public void settle(Cost actual) {
    throw new IllegalStateException("a shared permit cannot be settled: it was granted at cost 1");
  }

  @Override
  public Duration sending() {
    return Duration.ZERO;
  }

  @Override
  public Duration waited() {
    return Duration.ofNanos(waitedNanos);
  }
}
