package dev.pacegate.audit;

/**
 * One promise under audit. Starts come in order, ends in any; every instant lies within 292 years
 * after the first start, and no end before its start: {@link Audit} sees to that. So compare
 * instants by subtraction, wherever the clock has its origin.
 *
 * <p>It need not be thread-safe.
 */
public interface PromiseCheck {

  /**
   * Takes in that {@code amount}, 0 or more, was released at {@code start} and over at {@code end}.
   */
  void add(long start, long end, long amount);

  /** Returns the verdict so far; changes nothing. */
  Verdict verdict();
}
