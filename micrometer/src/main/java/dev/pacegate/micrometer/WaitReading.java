package dev.pacegate.micrometer;

import dev.pacegate.WaitHistogram;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One reading of the waits for all figures of a scrape, so that its buckets fit together.
 *
 * <p>A registry does not say when a scrape begins. So a figure that is asked for again, or after a
 * while, begins another reading. Thread-safe.
 */
final class WaitReading {

  private static final long MOST_NANOS = 100_000_000;

  private final Supplier<WaitHistogram> source;
  private @Nullable WaitHistogram waits; // this and the rest: guarded by this
  private long takenAt;
  private long told; // a bit for each figure

  WaitReading(Supplier<WaitHistogram> source) {
    this.source = source;
  }

  /** Returns the waits for a figure, whose number is from 0 to 63. */
  synchronized WaitHistogram of(int figure) {
    long now = System.nanoTime();
    if (waits == null || (told >>> figure & 1) != 0 || now - takenAt > MOST_NANOS) {
      waits = source.get();
      takenAt = now;
      told = 0;
    }
    told |= 1L << figure;
    return waits;
  }
}
