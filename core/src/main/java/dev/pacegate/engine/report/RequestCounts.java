package dev.pacegate.engine.report;

import dev.pacegate.WaitHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts what has happened to requests: to all of a limiter, or to those of one key. Guarded by the
 * gate.
 */
public final class RequestCounts {

  private @Nullable WaitCounter waits; // from the first on
  public long refused;
  public long cancelled;
  public long wouldHaveWaited;
  public long late;
  public long lost;
  public long refusedByPeer;
  public long takenByOthers;

  public void addWait(long nanos) {
    if (waits == null) {
      waits = new WaitCounter();
    }
    waits.add(nanos);
  }

  /** Returns how long {@code granted} requests have waited, most of them not at all. */
  public WaitHistogram waits(long granted) {
    return waits == null ? WaitCounter.none(granted) : waits.of(granted);
  }
}
