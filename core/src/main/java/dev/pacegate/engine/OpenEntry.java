package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** A link of a list of what is open: all that it takes to end it. Guarded by the gate. */
abstract class OpenEntry extends Chain.Link<OpenEntry> {

  final Lane lane;
  final @Nullable Pool drawnFrom;
  final long startedAt; // since the limiter's origin
  Cost cost;

  /**
   * @param drawnFrom which of two pools it was drawn from, where its lane has the choice
   */
  OpenEntry(Lane lane, @Nullable Pool drawnFrom, Cost cost, long startedAt) {
    this.lane = lane;
    this.drawnFrom = drawnFrom;
    this.cost = cost;
    this.startedAt = startedAt;
  }
}
