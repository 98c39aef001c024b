package dev.pacegate.limit;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.List;

/** A meter whose limit is changed by hand, as a limiter changes it. */
public final class Changes {

  private Changes() {}

  /** Returns the meter of {@code next} in place of that of {@code limit}. */
  public static Meter change(String limit, Meter meter, String next, long now) {
    return change(Limits.parse(limit), meter, Limits.parse(next), now);
  }

  /** As above, of what began at {@code began}. */
  public static Meter change(String limit, Meter meter, String next, long now, long began) {
    Limit before = Limits.parse(limit);
    InstantSource timeOfDay = InstantSource.system();
    return ChangedMeter.of(
        new Takeover(before, meter, began, Limits.parse(next), now, timeOfDay, List.of()));
  }

  static Meter change(Limit limit, Meter meter, Limit next, long now) {
    return change(limit, meter, next, now, InstantSource.system(), List.of());
  }

  static Meter change(
      Limit limit,
      Meter meter,
      Limit next,
      long now,
      InstantSource timeOfDay,
      List<OpenRequest> open) {
    long began = now - (1L << 60); // so long ago that all is known
    return ChangedMeter.of(new Takeover(limit, meter, began, next, now, timeOfDay, open));
  }
}
