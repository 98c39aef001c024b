package dev.pacegate.engine;

import dev.pacegate.WaitHistogram;
import dev.pacegate.engine.report.WaitCounter;
import org.jspecify.annotations.Nullable;

/**
 * Counts what has happened to requests: to all of a limiter, or to those of one key. Guarded by the
 * gate.
 */
public final class RequestCounts {

  private @Nullable WaitCounter waits; // from the first on
  long refused;
  long cancelled;
  long wouldHaveWaited;
  long late;
  long lost;
  long refusedByPeer;
  long takenByOthers;

  void addWait(long nanos) {
    if (waits == null) {
      waits = new WaitCounter();
    }
    waits.add(nanos);
  }

  /** Returns how long {@code granted} requests have waited, most of them not at all. */
  WaitHistogram waits(long granted) {
    return waits == null ? WaitCounter.none(granted) : waits.of(granted);
  }
}
