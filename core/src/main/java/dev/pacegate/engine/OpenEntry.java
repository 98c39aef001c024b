package dev.pacegate.engine;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a list of open permits, with all that is needed to end the permit. Guarded by the
 * gate.
 */
abstract class OpenEntry extends Chain.Link<OpenEntry> {

  /**
   * What permits have that waited, were sent late, or came from a lane with a reserved share: 80
   * bytes together. The others take 48 instead of 64.
   */
  private static final class Details {
    final @Nullable Pool drawnFrom;
    final long waited;
    long chargedAt;

    Details(@Nullable Pool drawnFrom, long waited, long chargedAt) {
      this.drawnFrom = drawnFrom;
      this.waited = waited;
      this.chargedAt = chargedAt;
    }
  }

  public final Lane lane;
  public final long startedAt; // since the limiter's origin
  public Cost cost;
  private @Nullable Details details; // null if there is nothing to tell
  boolean needsNoEnd; // it is known for its charge alone

  /**
   * @param drawnFrom which of two pools it was drawn from, if its lane has two
   * @param waited how long its request has waited
   */
  OpenEntry(Lane lane, @Nullable Pool drawnFrom, Cost cost, long startedAt, long waited) {
    this.lane = lane;
    this.cost = cost;
    this.startedAt = startedAt;
    this.details =
        drawnFrom == null && waited == 0 ? null : new Details(drawnFrom, waited, startedAt);
  }

  /** Creates one for the same request. */
  OpenEntry(OpenEntry other) {
    this.lane = other.lane;
    this.cost = other.cost;
    this.startedAt = other.startedAt;
    this.details = other.details;
  }

  @Nullable Pool drawnFrom() {
    return details == null ? null : details.drawnFrom;
  }

  long waitedNanos() {
    return details == null ? 0 : details.waited;
  }

  /** Returns when it was released, or sent since: what meters know it by. */
  public long chargedAt() {
    return details == null ? startedAt : details.chargedAt;
  }

  /**
   * Makes room for another instant here and in {@code other}, an entry for the same request. Called
   * before charging again, as it may fail.
   */
  void prepareCharging(@Nullable OpenEntry other) {
    if (details == null) {
      details = new Details(null, 0, startedAt);
    }
    if (other != null) {
      other.details = details;
    }
  }

  /** Records that it was charged again, which was {@linkplain #prepareCharging prepared}. */
  void chargedAgain(long now) {
    if (details != null) {
      details.chargedAt = now;
    }
  }
}
