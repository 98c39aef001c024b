package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.time.Duration;

/** The one permit of all requests that were granted at once and need no end. */
enum SharedPermit implements Permit {
  INSTANCE;

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
    return Duration.ZERO;
  }

  @Override
  public long releasedAt() {
    throw new IllegalStateException(
        "this permit is shared and knows no instant; build the limiter with stamped(true)");
  }

  @Override
  public String toString() {
    return "Permit[shared]";
  }
}
