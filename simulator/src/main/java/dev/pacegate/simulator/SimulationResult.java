package dev.pacegate.simulator;

import java.util.List;

/**
 * The result of running a {@link Scenario}: an immutable value.
 *
 * @param scenario what was simulated
 * @param sends how many requests were released
 * @param cost the sum of their costs
 * @param costAtFirst the part of it released at once at the start
 * @param refused how many the peer refused, or would have refused
 * @param accepted the cost that the peer accepted: without what it refused, or would have refused,
 *     and without what never reached it
 * @param timedOut how many answers the program gave up waiting for
 * @param worst the worst that the peer saw
 * @param worstAt when, in nanoseconds of the world
 * @param nanos the time from the first release to the last
 * @param meanHold how long a permit is held on average until its interval begins, in nanoseconds
 * @param wait50 the median wait, in nanoseconds
 * @param wait99 the 99th percentile of waits, in nanoseconds
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
    long accepted,
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
      Scenario scenario, Sender sender, PeerServer server, long digest, long events) {
    return new SimulationResult(
        scenario,
        sender.released,
        sender.cost,
        sender.costAtFirst,
        server.refused,
        server.accepted,
        sender.timedOut,
        server.counter.worst(),
        server.worstAt,
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

  /**
   * Returns the cost released per nanosecond, without what went at once at the start; NaN if all
   * went at once.
   */
  public double perNano() {
    return nanos == 0 ? Double.NaN : (double) (cost - costAtFirst) / nanos;
  }

  /** Returns the accepted part of {@link #perNano()}; NaN if all went at once. */
  public double acceptedPerNano() {
    return perNano() * accepted / cost;
  }

  /**
   * Returns the accepted share of what the peer allows: 1 is all; NaN if it has no rate, or all
   * went at once.
   */
  public double shareOfPeer() {
    double most = scenario.peer().rule().perNano();
    return most == 0 ? Double.NaN : acceptedPerNano() / most;
  }

  /**
   * Returns the released share of what {@link Theory} predicts; NaN if that predicts nothing, or
   * all went at once.
   */
  public double shareOfTheory() {
    return perNano() / Theory.perNano(scenario.limit(), meanHold);
  }

  /** Returns the worst in words, such as {@code worst window: 12 of 10}; empty if there is none. */
  String worstWords() {
    return worst.most() == 0 ? "" : Worst.kind(scenario.peer().rule(), kept()) + worstAmount();
  }

  private String worstAmount() {
    if (scenario.peer().rule() instanceof Rule.Gap gap) {
      return Findings.gap(worst.to() - worst.from() - 1, gap.nanos());
    }
    return worst.toString();
  }

  /** Returns the result for people to read, one line for each item. */
  public List<String> lines() {
    return new Report(this).lines();
  }
}
