package dev.pacegate.simulator;

import java.math.BigDecimal;

/**
 * How often something happens: {@code 1%}, {@code 0.05%}.
 *
 * @param millionths how many times in a million, from 0 to 1 000 000
 */
public record Odds(int millionths) {

  /** Never. */
  public static final Odds NEVER = new Odds(0);

  /** Checks the range. */
  public Odds {
    if (millionths < 0 || millionths > 1_000_000) {
      throw new IllegalArgumentException("odds must be from 0% to 100%: " + text(millionths));
    }
  }

  /**
   * Reads a share such as {@code 0.5%}.
   *
   * @throws IllegalArgumentException if {@code text} is none; the message says what is allowed
   */
  public static Odds parse(String text) {
    String share = text.strip();
    if (!share.matches("\\d{1,3}([.]\\d{1,4})?%")) {
      throw new IllegalArgumentException(
          "\"" + share + "\" is no share: expected 0% to 100% with at most 4 decimals, as in 0.5%");
    }
    BigDecimal percent = new BigDecimal(share.substring(0, share.length() - 1));
    return new Odds(percent.movePointRight(4).intValueExact());
  }

  private static String text(int millionths) {
    return BigDecimal.valueOf(millionths, 4).stripTrailingZeros().toPlainString() + "%";
  }

  @Override
  public String toString() {
    return text(millionths);
  }
}
