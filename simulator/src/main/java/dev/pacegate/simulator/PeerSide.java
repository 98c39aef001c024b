package dev.pacegate.simulator;

/**
 * The peer: an immutable value.
 *
 * @param rule how it counts
 * @param clock the clock by which it counts
 * @param counts the moment of a request at which it counts
 * @param refuses whether it refuses an excess request without counting it; otherwise it counts it
 */
public record PeerSide(Rule rule, PeerClock clock, Moment counts, boolean refuses) {

  /** The moment of a request at which it is counted. */
  public enum Moment {
    /** When the request arrives. */
    ARRIVAL,
    /** When the peer begins to work on the request. */
    DISPATCH,
    /** When the peer has finished the request. */
    COMPLETION
  }

  /** Returns a peer that counts on arrival by a correct clock, and refuses. */
  public static PeerSide of(Rule rule) {
    return new PeerSide(rule, PeerClock.TRUE, Moment.ARRIVAL, true);
  }
}
