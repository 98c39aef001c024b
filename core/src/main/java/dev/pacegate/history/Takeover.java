package dev.pacegate.history;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.Collection;

/**
 * One limit takes over from another.
 *
 * @param limit the limit in force until now
 * @param meter its meter
 * @param began when the limit before all changes began to be in force
 * @param next the limit that takes over
 * @param now when it does
 * @param timeOfDay for limits that follow the calendar
 * @param open the open requests
 */
public record Takeover(
    Limit limit,
    Meter meter,
    long began,
    Limit next,
    long now,
    InstantSource timeOfDay,
    Collection<OpenRequest> open) {

  /** Returns this, from {@code other}, the meter below another, in force since {@code before}. */
  public Takeover from(Meter other, long before) {
    return new Takeover(limit, other, before, next, now, timeOfDay, open);
  }
}
