package dev.pacegate.reactive;

/**
 * How many calls of an asynchronous function may be under way in one stream, and in which order
 * their results go on: an immutable value.
 *
 * @param atOnce how many elements may have been taken from upstream whose results have not been
 *     passed on: calls under way, and results that wait for demand or for their turn
 * @param isOrdered whether results go on in the order of the elements, or as they come in
 */
public record Concurrency(int atOnce, boolean isOrdered) {

  /**
   * Checks the number.
   *
   * @throws IllegalArgumentException if {@code atOnce} is less than 1
   */
  public Concurrency {
    if (atOnce < 1) {
      throw new IllegalArgumentException("atOnce must be at least 1: " + atOnce);
    }
  }

  /** Results go on in the order of their elements; a slow one holds up those behind it. */
  public static Concurrency ordered(int atOnce) {
    return new Concurrency(atOnce, true);
  }

  /** Results go on as they come in. */
  public static Concurrency unordered(int atOnce) {
    return new Concurrency(atOnce, false);
  }
}
