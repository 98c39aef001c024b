package dev.pacegate.simulator;

/**
 * The worst that a peer has seen, whether it let it through or not.
 *
 * @param most the requested cost: in one window, of a bucket as a burst, or at work at once; of a
 *     gap 2 if it was too short
 * @param allowed the allowed cost
 * @param from its beginning by the peer's clock, in nanoseconds
 * @param to its end by the peer's clock, in nanoseconds
 */
public record Worst(long most, long allowed, long from, long to) {

  /** Returns whether it exceeds the allowed cost. */
  public boolean tooMuch() {
    return most > allowed;
  }

  /** Returns the share of the allowed cost: 1 is all, 0 if nothing reached the peer. */
  double fullness() {
    return most == 0 ? 0 : (double) most / allowed;
  }

  /** Returns what is the worst for {@code rule}, such as {@code worst window: }. */
  static String kind(Rule rule, boolean kept) {
    if (rule instanceof Rule.Gap) {
      return "shortest gap: ";
    }
    if (rule instanceof Rule.Open) {
      return "most at work: ";
    }
    if (rule instanceof Rule.Estimated) {
      return "highest estimate: ";
    }
    if (rule instanceof Rule.Bucket || rule instanceof Rule.Gcra) {
      return kept ? "largest burst: " : "worst burst: ";
    }
    return kept ? "fullest window: " : "worst window: ";
  }

  /** Returns for example {@code 12 of 10}. */
  @Override
  public String toString() {
    return most + " of " + allowed;
  }
}
