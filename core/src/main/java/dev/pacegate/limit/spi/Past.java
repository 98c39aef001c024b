package dev.pacegate.limit.spi;

/**
 * Receives what a {@linkplain Meter#recall meter} knows of the past, in any order. Amounts are of
 * the meter's own {@linkplain Meter#measure measure}. Every method does nothing by default.
 */
public interface Past {

  /** An amount was released by {@code instant}; how it ended is not known. */
  default void started(long instant, long amount) {}

  /** An amount had ended by {@code instant}. */
  default void ended(long instant, long amount) {}

  /** An amount was released at {@code startedAt}, and has been lost. */
  default void lost(long startedAt, long amount) {}

  /** An amount may have been released, or have ended, by {@code instant}: an upper bound. */
  default void supposed(long instant, long amount) {}

  /** The largest request had this cost, if it was more than 1. */
  default void largest(long amount) {}

  /**
   * No end is known that came later than so long after its start, as the peer then counts the
   * request no more. Negative if only the requests that were lost are known.
   */
  default void bounded(long nanos) {}
}
