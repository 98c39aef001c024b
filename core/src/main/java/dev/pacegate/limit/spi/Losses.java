package dev.pacegate.limit.spi;

/**
 * How much of what a limit gives is spent by requests that were lost, so that nothing but time
 * gives it back.
 *
 * @param lost the cost of those requests
 * @param of the cost of all that the limit gives
 */
public record Losses(long lost, long of) {

  /** Nothing was lost, or the limit does not tell. */
  public static final Losses NONE = new Losses(0, 0);

  /** Returns whether it is more than half. */
  public boolean areMost() {
    return lost > of - lost;
  }
}
