package dev.pacegate.engine;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a list of open permits, with all that is needed to end the permit. Guarded by the
 * gate.
 */
abstract class OpenEntry extends Chain.Link<OpenEntry> {

  public final Lane lane;
  final @Nullable Pool drawnFrom;
  public final long startedAt; // since the limiter's origin
  public long chargedAt; // when it was released, or sent since: what meters know it by
  public Cost cost;
  boolean needsNoEnd; // it is known for its charge alone

  /**
   * @param drawnFrom which of two pools it was drawn from, if its lane has two
   */
  OpenEntry(Lane lane, @Nullable Pool drawnFrom, Cost cost, long startedAt) {
    this.lane = lane;
    this.drawnFrom = drawnFrom;
    this.cost = cost;
    this.startedAt = startedAt;
    this.chargedAt = startedAt;
  }
}
