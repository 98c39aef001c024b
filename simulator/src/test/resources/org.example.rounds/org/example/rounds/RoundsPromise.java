package org.example.rounds;

import dev.pacegate.audit.Auditable;
import dev.pacegate.audit.PromiseCheck;
import dev.pacegate.limit.Measure;
import java.time.Duration;

/** At most {@code max} without a break of {@code rest} nanoseconds. */
record RoundsPromise(long max, long rest) implements Auditable {

  @Override
  public Measure of() {
    return Measure.PLAIN;
  }

  @Override
  public boolean countsWhole() {
    return false;
  }

  @Override
  public long atOnce() {
    return max;
  }

  @Override
  public long most(long nanos) {
    return max * (nanos <= 0 ? 1 : (nanos - 1) / rest + 1);
  }

  @Override
  public long length() {
    return rest;
  }

  @Override
  public String text() {
    return "at most " + max + " without a break of " + Duration.ofNanos(rest);
  }

  @Override
  public PromiseCheck newCheck() {
    return new RoundsCheck(this);
  }
}
