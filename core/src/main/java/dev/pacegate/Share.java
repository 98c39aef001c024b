package dev.pacegate;

/**
 * The share of a limiter's limit that a {@linkplain Limiter.Builder#lane lane} gets.
 *
 * <p><b>Weight.</b> While several lanes have waiters, they are served in proportion to their
 * weights, by plain cost. A lane without waiters takes nothing and saves up nothing.
 *
 * <p><b>Reserved share.</b> A part of the limit is kept for this lane even while it is idle: it is
 * available at once whatever other lanes have used. Beyond it, the lane competes for the rest. Keys
 * of the lane take turns: while the first of them waits for more than the share has left, the
 * others wait behind it. A reserved share that is not used is lost, so reserve little. A request
 * draws from its lane's share or from the rest, never from both: one that costs more than either is
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

  /** Returns this share with {@code percent} of the limit reserved. */
  public Share reserving(int percent) {
    return new Share(weight, percent);
  }
}
