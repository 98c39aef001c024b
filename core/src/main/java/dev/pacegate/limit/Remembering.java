package dev.pacegate.limit;

/**
 * A meter of one measure that can tell its successor what went before, so that a change of limits
 * makes up neither a burst nor debt.
 */
public interface Remembering extends Meter {

  /** Returns what this meter counts. */
  Measure measure();

  /** Returns how many units it remembers at best: the richest memory is asked. */
  long remembers();

  /** Returns the fastest rate at which anything it no longer remembers can have gone. */
  Rate fastest();

  /** Returns the most of what it no longer remembers that can have gone at once. */
  long largest();

  /** Returns the largest cost of a request so far, as far as is known; 1 at least. */
  default long largestRequest() {
    return Long.MAX_VALUE;
  }

  /**
   * Tells what was released, the oldest first: as much as there may have been, and no release
   * earlier than it was.
   */
  void history(long now, History sink);

  /** Tells what has been lost and may yet be counted after {@code now}: until when. */
  default void lost(long now, History sink) {}

  /** Receives what a meter remembers. */
  @FunctionalInterface
  interface History {

    /** Takes {@code amount}, in the meter's own measure, that was released by {@code instant}. */
    void released(long instant, long amount);
  }
}
