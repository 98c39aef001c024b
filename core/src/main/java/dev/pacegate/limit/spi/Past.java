package dev.pacegate.limit.spi;

/**
 * Receives what a {@linkplain Meter#recall meter} knows of the past, in any order. Amounts are of
 * the meter's own {@linkplain Meter#measure measure}.
 */
public interface Past {

  /** Takes what was released by {@code instant}; how it ended is not known. */
  void started(long instant, long amount);

  /** Takes what had ended by {@code instant}. */
  void ended(long instant, long amount);

  /** Takes what was released at {@code startedAt}, and has been lost. */
  void lost(long startedAt, long amount);

  /** Takes what may have been released, or have ended, by {@code instant}: a supposition. */
  void supposed(long instant, long amount);

  /** Takes how much the largest request cost, where that was more than 1. */
  void largest(long amount);
}
