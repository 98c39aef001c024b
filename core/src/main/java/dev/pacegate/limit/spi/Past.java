package dev.pacegate.limit.spi;

/**
 * Receives what a {@linkplain Meter#recall meter} knows of the past, in any order. Amounts are of
 * the meter's own {@linkplain Meter#measure measure}. What is not overridden is ignored.
 */
public interface Past {

  /** Takes what was released by {@code instant}; how it ended is not known. */
  default void started(long instant, long amount) {}

  /** Takes what had ended by {@code instant}. */
  default void ended(long instant, long amount) {}

  /** Takes what was released at {@code startedAt}, and has been lost. */
  default void lost(long startedAt, long amount) {}

  /** Takes what may have been released, or have ended, by {@code instant}: a supposition. */
  default void supposed(long instant, long amount) {}

  /** Takes how much the largest request cost, where that was more than 1. */
  default void largest(long amount) {}
}
