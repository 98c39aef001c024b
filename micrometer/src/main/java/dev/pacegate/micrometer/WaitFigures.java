package dev.pacegate.micrometer;

import dev.pacegate.Limiter;
import java.math.BigDecimal;
import java.time.Duration;

/**
 * How long requests waited: their number and sum, and for each bound how many waited less.
 *
 * <p>Micrometer fills the buckets of a timer from single durations only, and takes no histogram
 * that is there already. So each bucket is a counter with the tag {@code le}, in seconds, as in a
 * histogram of Prometheus: its {@code histogram_quantile} asks for no more.
 */
final class WaitFigures implements Figures {

  /** Waits below a millisecond are one bucket. */
  private static final int FIRST = 20;

  /** A wait of more than an hour is in the last bucket only. */
  private static final int LAST = 42;

  private static final int ALL = 63;

  private static final int COUNT = 1;
  private static final int SUM = 2;

  private final WaitReading reading;

  WaitFigures(Limiter limiter) {
    this.reading = new WaitReading(limiter);
  }

  @Override
  public void addTo(Registration meters) {
    meters.timer(
        "pacegate.permits.wait",
        "How long released requests waited",
        () -> reading.of(COUNT).count(),
        () -> nanos(reading.of(SUM).total()));
    bucket(meters, "0.0", 0);
    for (int power = FIRST; power <= LAST; power++) {
      bucket(meters, seconds(power), power);
    }
    bucket(meters, "+Inf", ALL);
  }

  private void bucket(Registration meters, String le, int power) {
    meters
        .with("le", le)
        .counter(
            "pacegate.permits.within",
            "Released requests that waited no longer than le seconds",
            () -> reading.of(power).countBelow(power));
  }

  /** Waits of many requests may together be more than a long has of nanoseconds. */
  private static double nanos(Duration total) {
    return total.getSeconds() * 1e9 + total.getNano();
  }

  private static String seconds(int power) {
    return BigDecimal.valueOf(1L << power, 9).stripTrailingZeros().toPlainString();
  }
}
