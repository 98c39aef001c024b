package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.result.HeldPermits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A permit that stays spent until it ends, or one that needed no end and only knows what it was
 * charged. Its links and flags belong to the gate.
 */
public final class OpenPermit extends OpenEntry implements Permit, HeldPermits.JobPermit {

  /** Handles the end of a permit. Thread-safe; not called inside the gate. */
  interface Owner {

    /** Ends a permit; has no effect on one that has ended. */
    void end(OpenPermit permit, Outcome outcome);

    /** Ends a permit whose job failed. */
    void fail(OpenPermit permit, Throwable failure);

    /** Corrects what a permit was charged. */
    void settle(OpenPermit permit, Cost actual);

    /** Corrects the plain cost that a permit was charged. */
    void settle(OpenPermit permit, long actual);

    /** Charges a request again that is sent late; returns the time since its release. */
    Duration sending(OpenPermit permit);

    /** Returns an instant in nanoseconds of the limiter's time. */
    long reading(long instant);
  }

  /** The mark of a permit whose next entry is the one that replaces it in the list. */
  private static final int AGED = 1;

  /** The mark of a permit to whose request the peer has said how much it has counted. */
  private static final int STATED = 2;

  private final Owner owner;

  boolean ended;
  boolean settled; // close() reads it without the gate: the caller that settled comes before
  private byte marks; // one byte, as another one would make the object larger

  OpenPermit(
      Owner owner,
      Lane lane,
      @Nullable Pool drawnFrom,
      Cost cost,
      long startedAt,
      long waitedNanos) {
    super(lane, drawnFrom, cost, startedAt, waitedNanos);
    this.owner = owner;
  }

  /** Returns the entry that replaces it in the list; null if it is still in the list itself. */
  @Nullable OpenEntry aged() {
    return (marks & AGED) != 0 ? next : null;
  }

  /** Records that {@code entry} replaces it in the list. */
  void becomes(OpenEntry entry) {
    next = entry;
    marks |= AGED;
  }

  /** Returns whether the peer has said in its answer how much it has counted. */
  public boolean isStated() {
    return (marks & STATED) != 0;
  }

  /** Records that the peer has said so. */
  public void setStated() {
    marks |= STATED;
  }

  /** Returns whether {@code other} released it. */
  public boolean isOf(Owner other) {
    return owner == other;
  }

  @Override
  public boolean needsEnd() {
    return !needsNoEnd && !ended;
  }

  @Override
  public void answered() {
    owner.end(this, Outcome.ANSWERED);
  }

  @Override
  public void notSent() {
    owner.end(this, Outcome.NOT_SENT);
  }

  @Override
  public void lost() {
    owner.end(this, Outcome.LOST);
  }

  @Override
  public void failed(Throwable failure) {
    owner.fail(this, requireNonNull(failure));
  }

  @Override
  public void close() {
    owner.end(this, settled ? Outcome.ANSWERED : Outcome.LOST);
  }

  @Override
  public void settle(Cost actual) {
    owner.settle(this, actual);
  }

  @Override
  public void settle(long actual) {
    owner.settle(this, actual);
  }

  @Override
  public Cost cost() {
    return cost;
  }

  @Override
  public Duration sending() {
    return owner.sending(this);
  }

  @Override
  public Duration waited() {
    return Duration.ofNanos(waitedNanos());
  }

  @Override
  public long releasedAt() {
    return owner.reading(startedAt);
  }

  @Override
  public String toString() {
    return "Permit[" + cost + ", released at " + releasedAt() + "]";
  }
}
