package dev.pacegate.engine;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;

/**
 * The ages at which open permits under one limit are inspected.
 *
 * @param agesAfter from when on a permit may have been abandoned
 * @param abandonAfter when it counts as lost
 */
public record PermitAges(long agesAfter, long abandonAfter) {

  /** The age from which on a permit may have been abandoned, unless a limit says otherwise. */
  static final long USUAL = 10_000_000_000L;

  /** The age from which on an open permit is warned about. */
  static final long TOO_LONG = 60_000_000_000L;

  public static PermitAges of(Limit limit, Meter meter) {
    long shortest = Meter.NEVER;
    for (Limit term : limit.terms()) {
      long unanswered = term.unansweredNanos();
      shortest = unanswered > 0 ? Math.min(shortest, unanswered) : shortest;
    }
    long agesAfter = shortest == Meter.NEVER ? USUAL : Math.min(shortest, TOO_LONG);
    return new PermitAges(meter.tracks() ? agesAfter : Meter.NEVER, limit.abandonNanos());
  }
}
