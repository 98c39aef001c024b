package dev.pacegate.engine.report;

import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.math.MathContext;

/** Formats rates for messages. */
public final class RateText {

  private RateText() {}

  /** Returns a rate in words: {@code 9.7 requests a second}, {@code one request every 14s}. */
  public static String of(double perSecond) {
    if (perSecond < 1) {
      return "one request every " + Durations.brief(Math.round(1e9 / perSecond));
    }
    BigDecimal digits = new BigDecimal(perSecond).round(new MathContext(3)).stripTrailingZeros();
    return digits.toPlainString() + (perSecond == 1 ? " request" : " requests") + " a second";
  }
}
