package dev.pacegate.simulator;

import dev.pacegate.time.Durations;

/** Describes a {@link Scene} in one sentence. */
final class Caption {

  private Caption() {}

  static String of(Scene scene) {
    SimulationResult outcome = scene.outcome();
    Worst worst = outcome.worst();
    if (worst.most() == 0) {
      return "Nothing reached the peer.";
    }
    return worst.tooMuch() ? broken(scene, worst) : kept(scene, worst);
  }

  private static String kept(Scene scene, Worst worst) {
    Rule rule = scene.rule();
    if (rule instanceof Rule.Gap gap) {
      return "No two requests reach the peer less than "
          + Durations.format(gap.nanos())
          + " apart.";
    }
    if (rule instanceof Rule.Open) {
      return "The peer never works on more than " + worst.most() + " of " + worst.allowed() + ".";
    }
    if (isBucket(rule)) {
      return "The largest burst takes "
          + worst
          + " out of the peer's bucket; it is never empty too soon.";
    }
    if (rule instanceof Rule.Estimated) {
      return "The highest estimate of the peer is " + worst + ".";
    }
    return "The fullest window of the peer counts " + worst + ".";
  }

  private static String broken(Scene scene, Worst worst) {
    Rule rule = scene.rule();
    if (rule instanceof Rule.Gap gap) {
      return "Two requests reach the peer "
          + Findings.span(scene.worstTo() - scene.worstFrom() - 1)
          + " apart, where "
          + Durations.format(gap.nanos())
          + " are wanted"
          + becauseOfTheWay(scene, gap.nanos(), 1);
    }
    if (rule instanceof Rule.Open) {
      return worst.most()
          + " are at work at the peer at once, where "
          + worst.allowed()
          + " may be: the program took some for ended that were not.";
    }
    if (isBucket(rule)) {
      return "The peer's bucket holds "
          + worst.allowed()
          + ", and what comes needs "
          + worst.most()
          + ": requests catch up with each other on their way.";
    }
    if (rule instanceof Rule.Estimated) {
      return "The peer estimates "
          + worst.most()
          + " from its window and the one before, as if that had been filled evenly, where "
          + worst.allowed()
          + " may be.";
    }
    return "The peer counts "
        + worst.most()
        + " in a window of "
        + Durations.format(rule.nanos())
        + " that may hold "
        + worst.allowed()
        + becauseOfTheWay(scene, rule.nanos(), worst.allowed());
  }

  /** Returns the cause, which is the program or the network, and the full stop. */
  private static String becauseOfTheWay(Scene scene, long nanos, long allowed) {
    long released = scene.mostReleased(nanos);
    String within = " within " + Durations.format(nanos);
    return released > allowed
        ? ": the program itself released " + released + within + "."
        : ", though no more than "
            + released
            + (released == 1 ? " was" : " were")
            + " released"
            + within
            + ": some took longer than those behind them.";
  }

  private static boolean isBucket(Rule rule) {
    return rule instanceof Rule.Bucket || rule instanceof Rule.Gcra;
  }
}
