package dev.pacegate.audit;

/**
 * The check of one promise in an {@link Audit}, which guarantees: starts come in order, ends in
 * any; every instant lies within 292 years after the first start, and no end before its start. The
 * clock has any origin, so compare instants by subtraction. Need not be thread-safe.
 */
public interface PromiseCheck {

  /** Adds {@code amount}, 0 or more, released at {@code start} and ended at {@code end}. */
  void add(long start, long end, long amount);

  /** Returns the verdict so far; changes nothing. */
  Verdict verdict();
}
