package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;

/** An upper bound of the releases before the oldest one that a meter remembers. */
final class SteadyPace {

  /** The further back, the longer the stretch that is merged, with its latest instant. */
  private static final int RESOLUTION = 64;

  private SteadyPace() {}

  /**
   * Reports what is missing at {@code now} as released just then, and before it one permit per T.
   */
  static void recall(long now, long missing, Rate rate, long released, Past past) {
    long justNow = Math.min(missing, released);
    past.supposed(now, justNow);
    tell(past, now, released - justNow, rate);
  }

  /**
   * Reports up to {@code units}, of which {@code each} came by {@code latest} and as many in every
   * {@code per} nanoseconds before.
   */
  static void tell(Past past, long latest, long units, long each, long per) {
    long left = units;
    long back = 0;
    long age = 0;
    while (left > 0 && age <= Spans.MAX) {
      long stretch = Math.max(1, back / RESOLUTION);
      long amount = Math.min(left, Nanos.times(stretch, each));
      past.supposed(latest - age, amount);
      left -= amount;
      back += stretch;
      age = Nanos.times(back, per);
    }
  }

  /** As {@link #tell}, for a rate; for a very fast one in steps of a microsecond. */
  static void tell(Past past, long latest, long units, Rate rate) {
    long each = 1;
    long per = rate.nanos() / rate.permits();
    if (per < 1000) {
      each = Nanos.times(1000, rate.permits()) / rate.nanos() + 1;
      per = 1000;
    }
    tell(past, latest - per, units, each, per);
  }
}
