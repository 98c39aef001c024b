package dev.pacegate.simulator;

/**
 * What happens between the send and the answer.
 *
 * @param there how long a request is on its way
 * @param work how long the peer takes, a wait for its turn included
 * @param back how long the answer is on its way
 * @param stalls how many requests stall, half of them on their way there, half on the way back
 * @param stall for how long
 * @param lost how many get lost, half of them before the peer has counted them; nobody is told
 * @param resets of how many the connection breaks before the answer, which the sender sees; they
 *     are counted all the same
 */
public record Network(
    Delay there, Delay work, Delay back, Odds stalls, Delay stall, Odds lost, Odds resets) {

  /** Returns a network in which only the ways take time. */
  public static Network of(Delay there, Delay work, Delay back) {
    return new Network(there, work, back, Odds.NEVER, Delay.NONE, Odds.NEVER, Odds.NEVER);
  }
}
