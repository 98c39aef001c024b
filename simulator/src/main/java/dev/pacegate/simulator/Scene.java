package dev.pacegate.simulator;

import java.util.List;

/**
 * The stretch of a run around the worst that a peer saw, and all that happened in it.
 *
 * @param outcome the run
 * @param from its beginning, in nanoseconds of the world
 * @param to its end
 * @param worstFrom the beginning of the worst window, or of the fullest
 * @param worstTo its end
 * @param requests the requests released or counted in it
 * @param samples the fill levels of the peer's counter
 */
record Scene(
    SimulationResult outcome,
    long from,
    long to,
    long worstFrom,
    long worstTo,
    List<Request> requests,
    List<PeerServer.FullnessSample> samples) {

  /** Runs the scenario again and records only that stretch. */
  static Scene of(SimulationResult outcome, Pacer.Maker maker) {
    Scenario scenario = outcome.scenario();
    PeerClock clock = scenario.peer().clock();
    long from = clock.instant(outcome.worst().from());
    long to = clock.instant(outcome.worst().to());
    long span = span(scenario, outcome);
    long earliest = Math.max(from, to - 2 * span);
    long begin = Math.max(0, Math.min(earliest, to - span) - span);
    long end = to + span + span / 20;
    var world = new World(scenario, maker).keeping(begin, end);
    world.run();
    return new Scene(outcome, begin, end, from, to, world.kept(), world.server.samples);
  }

  /** Returns a suitable length: an interval, a few gaps, a few answers. */
  private static long span(Scenario scenario, SimulationResult outcome) {
    Rule rule = scenario.peer().rule();
    if (rule instanceof Rule.Gap gap) {
      return 4 * gap.nanos();
    }
    return Math.max(1, rule instanceof Rule.Open ? (long) (2 * outcome.meanHold()) : rule.nanos());
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
    var sorted = requests.stream().sorted((a, b) -> Long.compare(a.released, b.released)).toList();
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
