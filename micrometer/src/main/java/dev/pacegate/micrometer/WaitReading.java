package dev.pacegate.micrometer;

import dev.pacegate.Limiter;
import dev.pacegate.WaitHistogram;
import org.jspecify.annotations.Nullable;

/**
 * One reading of the waits for all figures of a scrape, so that its buckets fit together.
 *
 * <p>A registry does not say when a scrape begins. So a figure that is asked for again, or after a
 * while, begins another reading. Thread-safe.
 */
final class WaitReading {

  private static final long MOST_NANOS = 100_000_000;

  private final Limiter limiter;
  private @Nullable WaitHistogram waits; // this and the rest: guarded by this
  private long takenAt;
  private long told; // a bit for each figure

  WaitReading(Limiter limiter) {
    this.limiter = limiter;
  }

  /** Returns the waits for a figure, whose number is from 0 to 63. */
  synchronized WaitHistogram of(int figure) {
    long now = limiter.time().nanoTime();
    if (waits == null || (told >>> figure & 1) != 0 || now - takenAt > MOST_NANOS) {
      waits = limiter.snapshot().waits();
      takenAt = now;
      told = 0;
    }
    told |= 1L << figure;
    return waits;
  }
}
