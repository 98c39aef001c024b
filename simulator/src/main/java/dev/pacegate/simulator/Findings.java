package dev.pacegate.simulator;

import java.math.BigDecimal;
import java.math.MathContext;

/** Formats numbers for people to read. */
final class Findings {

  private Findings() {}

  /** Formats a duration with three digits: 1.2s, 950ms, 1.5us. */
  static String span(long exact) {
    double nanos = (double) exact;
    if (nanos >= 1e9) {
      return digits(nanos / 1e9) + "s";
    }
    if (nanos >= 1e6) {
      return digits(nanos / 1e6) + "ms";
    }
    if (nanos == 0) {
      return "0s";
    }
    return nanos >= 1e3 ? digits(nanos / 1e3) + "us" : digits(nanos) + "ns";
  }

  /** Formats an instant in seconds, exactly: 3.25s. */
  static String seconds(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString() + "s";
  }

  /** Formats a number with three digits, or more if it is larger. */
  static String digits(double number) {
    if (Math.abs(number) >= 1000) {
      return String.valueOf(Math.round(number));
    }
    return new BigDecimal(number).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }

  /** Formats a share: 97.3%. */
  static String percent(double share) {
    return digits(share * 100) + "%";
  }
}
