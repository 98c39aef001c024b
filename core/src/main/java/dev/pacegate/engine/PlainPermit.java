package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.time.Durations;
import java.time.Duration;

/** A permit that needs no end and knows only how long its request waited. */
public final class PlainPermit implements Permit {

  /** The shared permit of such requests that were granted at once. */
  public static final PlainPermit SHARED = new PlainPermit(0);

  private final long waitedNanos;

  PlainPermit(long waitedNanos) {
    this.waitedNanos = waitedNanos;
  }

  @Override
  public void answered() {}

  @Override
  public void notSent() {}

  @Override
  public void lost() {}

  @Override
  public void failed(Throwable failure) {
    requireNonNull(failure);
  }

  @Override
  public void close() {}

  @Override
  public Duration waited() {
    return Duration.ofNanos(waitedNanos);
  }

  @Override
  public String toString() {
    return "Permit[waited " + Durations.brief(waitedNanos) + "]";
  }
}
