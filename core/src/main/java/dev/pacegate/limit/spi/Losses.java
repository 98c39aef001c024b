package dev.pacegate.limit.spi;

/**
 * The part of a limit that lost requests spend, and that only time gives back.
 *
 * @param lost the cost of the lost requests
 * @param capacity the cost of all that the limit gives
 */
public record Losses(long lost, long capacity) {

  /** Nothing was lost, or the limit does not tell. */
  public static final Losses NONE = new Losses(0, 0);

  /** Returns whether lost requests spend more than half. */
  public boolean areMost() {
    return lost > capacity - lost;
  }
}
