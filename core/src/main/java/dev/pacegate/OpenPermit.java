package dev.pacegate;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A permit that stays spent until it ends, or one that has ended from the beginning and only knows
 * what it was charged. Its links and flags belong to the gate.
 */
final class OpenPermit implements Permit {

  final Lane lane;
  Cost cost;
  final long startedAt; // since the limiter's origin
  private final Admission admission;
  private final long waitedNanos;
  final @Nullable Pool drawnFrom;

  @Nullable OpenPermit previous;
  @Nullable OpenPermit next;
  long chargedAt; // since the limiter's origin: when it was released, or sent late
  boolean ended;
  boolean needsNoEnd;
  boolean settled; // read without the gate by close(), for which whoever settled it came before
  long mark; // what had been released by then, itself included

  /**
   * @param drawnFrom which of two pools it was drawn from, where its lane has the choice
   */
  OpenPermit(
      Admission admission,
      Lane lane,
      @Nullable Pool drawnFrom,
      Cost cost,
      long startedAt,
      long waitedNanos) {
    this.admission = admission;
    this.lane = lane;
    this.drawnFrom = drawnFrom;
    this.cost = cost;
    this.startedAt = startedAt;
    this.chargedAt = startedAt;
    this.waitedNanos = waitedNanos;
  }

  /** Returns whether a limiter of that admission released it. */
  boolean isOf(Admission other) {
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
