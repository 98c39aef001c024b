package dev.pacegate.engine;

import dev.pacegate.Permit;
import java.time.Duration;

/** A permit that needs no end, and of which no more is known than how long its request waited. */
record WaitedPermit(long waitedNanos) implements Permit {

  @Override
  public void answered() {}

  @Override
  public void notSent() {}

  @Override
  public void lost() {}

  @Override
  public void failed(Throwable failure) {}

  @Override
  public void close() {}

  @Override
  public Duration waited() {
    return Duration.ofNanos(waitedNanos);
  }
}
