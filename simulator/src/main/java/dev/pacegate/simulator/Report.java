package dev.pacegate.simulator;

import java.util.ArrayList;
import java.util.List;

/** Formats a {@link SimulationResult} for people to read. */
final class Report {

  private final SimulationResult outcome;
  private final List<String> lines = new ArrayList<>();

  Report(SimulationResult outcome) {
    this.outcome = outcome;
  }

  List<String> lines() {
    Scenario scenario = outcome.scenario();
    line("limit", scenario.limit().toString());
    line("peer", scenario.peer().rule().toString());
    line("sent", outcome.sends() + costs() + " in " + Findings.span(outcome.nanos()));
    line("refused", refused());
    line("delivered", delivered());
    line("waits", waits());
    line("digest", String.format("%016x", outcome.digest()));
    return lines;
  }

  private void line(String name, String text) {
    lines.add(String.format("%-11s%s", name, text));
  }

  private String costs() {
    return outcome.cost() == outcome.sends() ? "" : " of cost " + outcome.cost();
  }

  private String refused() {
    String many = outcome.kept() ? "none" : String.valueOf(outcome.refused());
    String worst = outcome.scenario().peer().rule() instanceof Rule.Gap ? "" : gist();
    return many + worst;
  }

  private String gist() {
    return "; the fullest: " + outcome.worst() + ", at " + Findings.span(outcome.worstAt());
  }

  private String delivered() {
    if (Double.isNaN(outcome.perNano())) {
      return "all at once";
    }
    double perSecond = outcome.perNano() * 1e9;
    var text = new StringBuilder(Findings.digits(perSecond)).append(" per second");
    if (!Double.isNaN(outcome.shareOfPeer())) {
      text.append(", ").append(Findings.percent(outcome.shareOfPeer()));
      text.append(" of what the peer allows");
    }
    if (outcome.scenario().client().demand() instanceof Demand.Always
        && !Double.isNaN(outcome.shareOfTheory())) {
      text.append(", ").append(Findings.percent(outcome.shareOfTheory())).append(" of theory");
    }
    return text.toString();
  }

  private String waits() {
    return "half up to "
        + Findings.span(outcome.wait50())
        + ", 99% up to "
        + Findings.span(outcome.wait99())
        + ", the longest "
        + Findings.span(outcome.longestWait());
  }
}
