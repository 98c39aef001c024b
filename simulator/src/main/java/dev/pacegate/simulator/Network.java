package dev.pacegate.simulator;

/**
 * The network between program and peer, and the peer's working time: an immutable value.
 *
 * @param there how long a request takes to the peer
 * @param work how long the peer takes, a wait for its turn included
 * @param back how long the answer takes
 * @param stalls how many requests stall, half of them on their way there, half on the way back
 * @param stall how long they stall
 * @param lost how many get lost without a notice, half of them before the peer has counted them
 * @param resets of how many the connection breaks before the answer, which the sender notices; the
 *     peer counts them all the same
 */
public record Network(
    Delay there, Delay work, Delay back, Odds stalls, Delay stall, Odds lost, Odds resets) {

  /** Returns a network without stalls, losses and resets. */
  public static Network of(Delay there, Delay work, Delay back) {
    return new Network(there, work, back, Odds.NEVER, Delay.NONE, Odds.NEVER, Odds.NEVER);
  }
}
