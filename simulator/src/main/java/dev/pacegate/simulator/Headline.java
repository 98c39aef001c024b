package dev.pacegate.simulator;

import java.util.ArrayList;
import java.util.List;

/** The head of a drawing: the result in a sentence, and the facts of its world. */
final class Headline {

  private static final int ROOM = 70; // letters of a limit
  private static final double SECOND = 1e9;

  private final SimulationResult outcome;
  private final Scenario scenario;

  Headline(SimulationResult outcome) {
    this.outcome = outcome;
    this.scenario = outcome.scenario();
  }

  /** Returns for example {@code You limit to 10/s; the API still rejects 1967 of 10000}. */
  String sentence() {
    String limit = scenario.limit().toString();
    if (limit.matches("\\d+/\\w+")) {
      String rate = limit.replaceAll("/1(?=[a-z])", "/").replaceAll("/m$", "/min");
      return "You limit to " + rate + "; the API " + verdict();
    }
    return "With " + (limit.length() > ROOM ? "this limit" : limit) + ", the API " + verdict();
  }

  private String verdict() {
    String still = outcome.kept() ? "" : "still ";
    String many = (outcome.kept() ? "none" : outcome.refused()) + " of " + outcome.sends();
    return scenario.peer().refuses()
        ? still + "rejects " + many
        : still + "counts " + many + " as too many";
  }

  /** Returns the facts, which tell the runs of a study apart. */
  String facts() {
    var facts = new ArrayList<String>(List.of("limit " + scenario.limit()));
    facts.addAll(Facts.changes(scenario));
    facts.add("API " + scenario.peer().rule());
    facts.addAll(Facts.of(scenario));
    String accepted = accepted();
    if (!accepted.isEmpty()) {
      facts.add(accepted);
    }
    return String.join(" · ", facts);
  }

  private String accepted() {
    double perNano = outcome.acceptedPerNano();
    if (Double.isNaN(perNano)) {
      return "";
    }
    double allowed = scenario.peer().rule().perNano();
    boolean slow = allowed > 0 && allowed * SECOND <= 1;
    double unit = slow ? 60 * SECOND : SECOND;
    String of = allowed == 0 ? "" : " of " + Findings.digits(allowed * unit);
    String per = slow ? " per minute" : " per second";
    return "accepted: " + Findings.digits(perNano * unit) + of + per;
  }
}
