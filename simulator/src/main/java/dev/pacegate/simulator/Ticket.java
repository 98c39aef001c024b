package dev.pacegate.simulator;

import dev.pacegate.Permit;
import java.time.Duration;

/** A permit of a pacer that ignores how permits end. */
record Ticket(long releasedAt) implements Permit {

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
    return Duration.ZERO;
  }
}
