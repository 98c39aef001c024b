package dev.pacegate.engine;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A permit that stays spent until it ends, or one that has ended from the beginning and only knows
 * what it was charged. Its links and flags belong to the gate.
 */
final class OpenPermit extends OpenEntry implements Permit {

  private final Engine admission;
  private final long waitedNanos;

  long chargedAt; // since the limiter's origin: when it was released, or sent late
  boolean ended;
  boolean needsNoEnd;
  boolean settled; // read without the gate by close(), for which the caller who settled came before
  private boolean isAged; // then next is what stands for it in the list
  long mark; // what had been released by then, itself included

  OpenPermit(
      Engine admission,
      Lane lane,
      @Nullable Pool drawnFrom,
      Cost cost,
      long startedAt,
      long waitedNanos) {
    super(lane, drawnFrom, cost, startedAt);
    this.admission = admission;
    this.chargedAt = startedAt;
    this.waitedNanos = waitedNanos;
  }

  /** Returns what stands for it among those that are open, if that is not this itself. */
  @Nullable AgedPermit aged() {
    return isAged ? (AgedPermit) next : null;
  }

  /** Notes that {@code entry} stands for it from now on. */
  void becomes(AgedPermit entry) {
    next = entry;
    isAged = true;
  }

  /** Returns whether a limiter of that admission released it. */
  boolean isOf(Engine other) {
    return admission == other;
  }

  @Override
  public void answered() {
    admission.end(this, Outcome.ANSWERED);
  }

  @Override
  public void notSent() {
    admission.end(this, Outcome.NOT_SENT);
  }

  @Override
  public void lost() {
    admission.end(this, Outcome.LOST);
  }

  @Override
  public void failed(Throwable failure) {
    admission.end(this, admission.endOf(failure));
  }

  @Override
  public void close() {
    admission.end(this, settled ? Outcome.ANSWERED : Outcome.LOST);
  }

  @Override
  public void settle(Cost actual) {
    admission.settle(this, actual);
  }

  @Override
  public void settle(long actual) {
    admission.settle(this, actual);
  }

  @Override
  public Cost cost() {
    return cost;
  }

  @Override
  public Duration sending() {
    return admission.sending(this);
  }

  @Override
  public Duration waited() {
    return Duration.ofNanos(waitedNanos);
  }

  @Override
  public long releasedAt() {
    return admission.instant(startedAt);
  }

  @Override
  public String toString() {
    return "Permit[" + cost + ", released at " + releasedAt() + "]";
  }
}
