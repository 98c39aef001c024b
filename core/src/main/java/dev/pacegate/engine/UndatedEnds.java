package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import org.jspecify.annotations.Nullable;

/**
 * Answered ends that were not worth a reading of the clock: the next reading, whatever it is for,
 * dates them. Guarded by the gate.
 *
 * <p>Nothing can happen in between, as everything that asks the meter reads the clock first. So all
 * that differs is the date, which is later than the end and thus never over a limit. {@link
 * Meter#mostUndated} says how many ends may be late in this way.
 */
final class UndatedEnds {

  /** How many one reading dates, so that none takes long. */
  private static final int MOST = 8;

  private final Meter meter;
  private final long most;
  int count; // added to by a plain field write, which needs no stack

  private UndatedEnds(Meter meter, long most) {
    this.meter = meter;
    this.most = most;
  }

  /** Returns null if {@code meter} allows none, so that a reading for it has nothing to look up. */
  static @Nullable UndatedEnds of(Meter meter) {
    long most = meter.tracks() ? Math.min(MOST, meter.mostUndated()) : 0;
    return most > 0 ? new UndatedEnds(meter, most) : null;
  }

  /** Returns whether one more may be dated later. */
  boolean hasRoom() {
    return count < most;
  }

  /** Tells the meter of all that have no date yet, of each once, even if an error comes between. */
  void date(long now) {
    while (count > 0) {
      count--;
      meter.end(now, now, Cost.ONE, Outcome.ANSWERED);
    }
  }
}
