package dev.pacegate.simulator;

import java.util.List;

/**
 * What became of a {@link Scenario}.
 *
 * @param scenario what was simulated
 * @param sends how many requests were released
 * @param cost what they cost
 * @param costAtFirst what of it went at once at the start
 * @param refused how many the peer refused, or would have
 * @param timedOut after how many the program waited no longer
 * @param worst the worst that the peer saw
 * @param worstAt when, in nanoseconds of the world
 * @param nanos from the first release to the last
 * @param meanHold how long a permit is held on average until its interval begins, in nanoseconds
 * @param wait50 what half of all waited at most, in nanoseconds
 * @param wait99 what 99 of 100 waited at most, in nanoseconds
 * @param longestWait the longest wait, in nanoseconds
 * @param events how many events there were
 * @param digest a number that depends on every event
 */
public record SimulationResult(
    Scenario scenario,
    long sends,
    long cost,
    long costAtFirst,
    long refused,
    long timedOut,
    Worst worst,
    long worstAt,
    long nanos,
    double meanHold,
    long wait50,
    long wait99,
    long longestWait,
    long events,
    long digest) {

  static SimulationResult of(
      Scenario scenario, Sender sender, PeerServer site, long digest, long events) {
    return new SimulationResult(
        scenario,
        sender.released,
        sender.cost,
        sender.costAtFirst,
        site.refused,
        sender.timedOut,
        site.counter.worst(),
        site.worstAt,
        sender.lastRelease - sender.firstRelease,
        sender.held / sender.cost,
        sender.waits.percentile(50),
        sender.waits.percentile(99),
        sender.waits.longest(),
        events,
        digest);
  }

  /** Returns whether the peer refused nothing. */
  public boolean kept() {
    return refused == 0;
  }

  /** Returns how much was released per nanosecond, what went at once at the start left out. */
  public double perNano() {
    return nanos == 0 ? 0 : (double) (cost - costAtFirst) / nanos;
  }

  /**
   * Returns how much of what the peer allows was released: 1 is all; not a number if it has no
   * rate.
   */
  public double shareOfPeer() {
    double most = scenario.peer().rule().perNano();
    return most == 0 ? Double.NaN : perNano() / most;
  }

  /** Returns how much of what {@link Theory} lets expect was released; not a number without one. */
  public double shareOfTheory() {
    return perNano() / Theory.perNano(scenario.limit(), meanHold);
  }

  /** Returns the outcome for people to read, a line for each thing. */
  public List<String> lines() {
    return new Report(this).lines();
  }
}
