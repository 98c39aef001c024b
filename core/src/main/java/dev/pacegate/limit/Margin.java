package dev.pacegate.limit;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.Locale;

/**
 * The time added to the peer's interval, to cover the difference of two clocks' rates and the
 * granularity of the peer's timestamps. Written {@code 0.1%+1ms}.
 *
 * @param millionths the share of the interval, in millionths, from 0 to 1 000 000
 * @param nanos the fixed part, in nanoseconds
 */
public record Margin(long millionths, long nanos) {

  /** No margin. */
  public static final Margin NONE = new Margin(0, 0);

  /** The default margin: {@code 0.1%+1ms}. */
  public static final Margin USUAL = new Margin(1000, 1_000_000);

  /** Checks the ranges. */
  public Margin {
    if (millionths < 0 || millionths > 1_000_000) {
      throw new IllegalArgumentException(
          "the share of a margin must be from 0% to 100%: " + percent(millionths));
    }
    Spans.checked("margin", nanos);
  }

  /** Returns the margin of {@code millionths} of the interval and {@code fixed}. */
  public static Margin of(long millionths, Duration fixed) {
    return new Margin(millionths, Spans.nanos("margin", fixed));
  }

  /** Returns the rate, its interval made longer by this margin. */
  Rate slower(Rate rate) {
    return new Rate(rate.permits(), longer(rate.nanos()));
  }

  /** Returns an interval of {@code nanos}, made longer by this margin. */
  public long longer(long nanos) {
    return Math.min(Nanos.add(Nanos.add(nanos, share(nanos)), this.nanos), Spans.MAX);
  }

  /** Returns the rate, made slower by the share alone. */
  Rate slowerByShare(Rate rate) {
    // As many intervals as make the share exact, as long as that many permits can be counted.
    long times = Math.min(1_000_000, Math.max(1, Spans.MAX / 2 / rate.nanos()));
    long nanos = rate.nanos() * times;
    return new Rate(rate.permits() * times, Math.min(nanos + share(nanos), Spans.MAX));
  }

  private long share(long nanos) {
    long millions = nanos / 1_000_000 * millionths;
    return millions + (nanos % 1_000_000 * millionths + 999_999) / 1_000_000;
  }

  private static String percent(long millionths) {
    String digits = String.format(Locale.ROOT, "%05d", millionths);
    int point = digits.length() - 4;
    String fraction = digits.substring(point).replaceAll("0+$", "");
    return digits.substring(0, point) + (fraction.isEmpty() ? "" : "." + fraction) + "%";
  }

  /** Returns for example {@code 0.1%+1ms}. */
  @Override
  public String toString() {
    if (millionths == 0) {
      return nanos == 0 ? "0s" : Durations.format(nanos);
    }
    return percent(millionths) + (nanos == 0 ? "" : "+" + Durations.format(nanos));
  }
}
