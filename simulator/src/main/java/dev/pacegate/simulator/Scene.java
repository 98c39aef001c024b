package dev.pacegate.simulator;

import java.util.Comparator;
import java.util.List;

/**
 * A stretch of a run and all that happened in it.
 *
 * @param outcome the run
 * @param from its beginning, in nanoseconds of the world
 * @param to its end
 * @param worst the worst in it
 * @param worstAtStart the worst of the run, if requests took no time
 * @param worstFrom the beginning of the worst window, or of the fullest
 * @param worstTo its end
 * @param requests the requests released or counted in it
 * @param samples the fill levels of the peer's counter
 */
record Scene(
    SimulationResult outcome,
    long from,
    long to,
    Worst worst,
    Worst worstAtStart,
    long worstFrom,
    long worstTo,
    List<Request> requests,
    List<PeerServer.FullnessSample> samples) {

  /**
   * Runs the scenario again and records one stretch: around the worst if the peer refused any;
   * otherwise the one in which the run of {@code beside} was refused, if this run was as long, or
   * else one in the middle.
   */
  static Scene of(SimulationResult outcome, SimulationResult beside, Pacer.Maker maker) {
    if (!outcome.kept()) {
      return of(outcome, Extent.ofWorst(outcome), maker);
    }
    Extent same = Extent.ofWorst(beside);
    boolean within = !beside.kept() && same.to <= outcome.nanos();
    return of(outcome, within ? same : Extent.ofMiddle(outcome), maker);
  }

  private static Scene of(SimulationResult outcome, Extent extent, Pacer.Maker maker) {
    Scenario scenario = outcome.scenario();
    var world = new World(scenario, maker).keeping(extent.from, extent.to);
    if (outcome.kept()) {
      world.focusing(extent.from + (extent.to - extent.from) / 3); // the whole window is in view
    }
    world.run();
    Worst worst = outcome.kept() ? world.server.worstInFocus : outcome.worst();
    PeerClock clock = scenario.peer().clock();
    return new Scene(
        outcome,
        extent.from,
        extent.to,
        worst,
        world.worstAtStart(),
        clock.instant(worst.from()),
        clock.instant(worst.to()),
        world.kept(),
        world.server.samples);
  }

  /** A stretch of time. */
  private record Extent(long from, long to) {

    static Extent ofWorst(SimulationResult outcome) {
      PeerClock clock = outcome.scenario().peer().clock();
      long from = clock.instant(outcome.worst().from());
      long to = clock.instant(outcome.worst().to());
      long span = span(outcome);
      long earliest = Math.max(from, to - 2 * span);
      long begin = Math.max(0, Math.min(earliest, to - span) - span);
      return new Extent(begin, to + span + span / 20);
    }

    static Extent ofMiddle(SimulationResult outcome) {
      long span = span(outcome);
      long begin = Math.max(0, outcome.nanos() / 2 - span - span / 2);
      return new Extent(begin, begin + 3 * span + span / 20);
    }

    /** Returns a suitable length: an interval, a few gaps, a few answers. */
    private static long span(SimulationResult outcome) {
      Rule rule = outcome.scenario().peer().rule();
      if (rule instanceof Rule.Gap gap) {
        return 4 * gap.nanos();
      }
      long span = rule instanceof Rule.Open ? (long) (2 * outcome.meanHold()) : rule.nanos();
      return Math.max(1, Math.min(span, Long.MAX_VALUE / 8));
    }
  }

  Rule rule() {
    return outcome.scenario().peer().rule();
  }

  /** Returns whether {@code request} is one of those that exceed the limit, or nearly do. */
  boolean isWorst(Request request) {
    return request.counts != Request.NEVER
        && request.counts >= worstFrom
        && request.counts < Math.max(worstTo, worstFrom + 1);
  }

  /** Returns the most cost released within {@code nanos}, as far as the scene shows it. */
  long mostReleased(long nanos) {
    var sorted =
        requests.stream().sorted(Comparator.comparingLong(request -> request.released)).toList();
    long most = 0;
    long sum = 0;
    int first = 0;
    for (Request request : sorted) {
      sum += request.cost;
      while (request.released - sorted.get(first).released >= nanos) {
        sum -= sorted.get(first++).cost;
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
