package dev.pacegate.engine.report;

import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.math.MathContext;

/** Formats rates for messages. */
public final class RateText {

  private RateText() {}

  /**
   * Returns a rate in words: {@code 9.7 a second}, {@code one every 14s}. It does not say of what,
   * as limits do not: of requests or, if they have costs, of what these add up to.
   */
  public static String of(double perSecond) {
    if (perSecond < 1) {
      return "one every " + Durations.brief(Math.round(1e9 / perSecond));
    }
    BigDecimal digits = new BigDecimal(perSecond).round(new MathContext(3)).stripTrailingZeros();
    return digits.toPlainString() + " a second";
  }
}
