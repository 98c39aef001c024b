package dev.pacegate.engine;

import dev.pacegate.Permit;
import java.time.Duration;

/** The one permit of all requests that were granted at once and need no end. */
public enum SharedPermit implements Permit {
  INSTANCE;

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

  @Override
  public String toString() {
    return "Permit[shared]";
  }
}
