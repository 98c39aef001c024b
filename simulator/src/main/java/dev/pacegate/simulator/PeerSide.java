package dev.pacegate.simulator;

/**
 * The peer: what it counts, when, by which clock, and whether it refuses what is too much.
 *
 * @param rule how it counts
 * @param clock by which clock
 * @param counts at which moment of a request
 * @param refuses whether it refuses what is too much, and does not count it; otherwise it counts it
 */
public record PeerSide(Rule rule, PeerClock clock, Moment counts, boolean refuses) {

  /** The moment of a request at which it is counted. */
  public enum Moment {
    /** When it comes. */
    ARRIVAL,
    /** When its turn has come to be worked on. */
    DISPATCH,
    /** When it has been worked on. */
    COMPLETION
  }

  /** Returns a peer that counts on arrival by a true clock, and refuses. */
  public static PeerSide of(Rule rule) {
    return new PeerSide(rule, PeerClock.TRUE, Moment.ARRIVAL, true);
  }
}
