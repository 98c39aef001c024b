package dev.pacegate.engine;

import java.util.function.LongPredicate;

/** Finds the largest cost that goes, where all that is less goes as well. */
public final class LargestCost {

  private LargestCost() {}

  /**
   * Returns the largest amount that goes.
   *
   * @param goes one that goes
   * @param tooMuch one that does not; it is not asked
   */
  public static long between(long goes, long tooMuch, LongPredicate question) {
    long fits = goes;
    long fails = tooMuch;
    while (fails - fits > 1) {
      long middle = fits + (fails - fits) / 2;
      if (question.test(middle)) {
        fits = middle;
      } else {
        fails = middle;
      }
    }
    return fits;
  }
}
