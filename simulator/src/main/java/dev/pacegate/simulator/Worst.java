package dev.pacegate.simulator;

/**
 * The worst that a peer has seen, whether it let it through or not.
 *
 * @param most how much was asked for: in one window, of a bucket as a burst, or at work at once; of
 *     a gap 2 if it was too short
 * @param allowed how much would have been allowed
 * @param from since when, by the peer's clock, in nanoseconds
 * @param to until when, by the peer's clock, in nanoseconds
 */
public record Worst(long most, long allowed, long from, long to) {

  /** Returns whether it was too much. */
  public boolean tooMuch() {
    return most > allowed;
  }

  /** Returns how much of what is allowed that was: 1 is all. */
  double fullness() {
    return (double) most / allowed;
  }

  /** Returns for example {@code 12 of 10}. */
  @Override
  public String toString() {
    return most + " of " + allowed;
  }
}
