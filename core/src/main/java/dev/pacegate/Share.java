package dev.pacegate;

/**
 * How a lane of a {@link Limiter} stands beside the others.
 *
 * <p><b>Weight.</b> While several lanes wait, they are served in proportion to their weights, by
 * plain cost. A lane in which nobody waits takes nothing and saves up nothing.
 *
 * <p><b>Reserved share.</b> So much of the limit is kept for this lane, even while nobody needs it:
 * whatever the others have used up, that much is there at once. Beyond it the lane takes part in
 * what is left for all. What is reserved and not used is lost, so reserve little. A request draws
 * from its lane's share or from what is left, never from both: one that costs more than either is
 * refused with {@link CostTooLargeException}.
 *
 * @param weight from 1 to 1000
 * @param reservedPercent from 0 to 99 percent of the limit, rounded down to whole permits
 */
@CheckReturnValue
public record Share(int weight, int reservedPercent) {

  private static final int MAX_WEIGHT = 1000;

  /** Checks the ranges. */
  public Share {
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw new IllegalArgumentException(
          "a weight must be from 1 to " + MAX_WEIGHT + ": " + weight);
    }
    if (reservedPercent < 0 || reservedPercent > 99) {
      throw new IllegalArgumentException(
          "a reserved share must be from 0 to 99 percent: " + reservedPercent);
    }
  }

  /** Returns a share of that weight, with nothing reserved. */
  public static Share weight(int weight) {
    return new Share(weight, 0);
  }

  /** Returns this share with so much of the limit reserved. */
  public Share reserving(int percent) {
    return new Share(weight, percent);
  }
}
