package dev.pacegate.simulator;

import java.math.BigDecimal;
import java.math.MathContext;

/** Formats numbers for people to read. */
final class Findings {

  private Findings() {}

  /** Formats a duration with three digits: 1.2 s, 950 ms, 1.5 us. */
  static String span(long exact) {
    double nanos = (double) exact;
    if (nanos >= 1e9) {
      return digits(nanos / 1e9) + " s";
    }
    if (nanos >= 1e6) {
      return digits(nanos / 1e6) + " ms";
    }
    if (nanos == 0) {
      return "0 s";
    }
    return nanos >= 1e3 ? digits(nanos / 1e3) + " us" : digits(nanos) + " ns";
  }

  /** Formats an instant in seconds, exactly: 3.25 s. */
  static String seconds(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString() + " s";
  }

  /** Formats a number with three digits, or more if it is larger. */
  static String digits(double number) {
    if (Math.abs(number) >= 1000) {
      return String.valueOf(Math.round(number));
    }
    return new BigDecimal(number).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }

  /** Formats a share: 97.3 %. Only all is 100 %. */
  static String percent(double share) {
    String percent = digits(share * 100);
    return (share < 1 && percent.equals("100") ? "99.9" : percent) + " %";
  }

  /** Formats a rate: 8.04 per second. */
  static String perSecond(double perNano) {
    return digits(perNano * 1e9) + " per second";
  }

  /** Formats a gap and what is wanted: 89 ms (at least 100 ms wanted). */
  static String gap(long nanos, long wanted) {
    return span(nanos) + " (at least " + span(wanted) + " wanted)";
  }
}
