package dev.pacegate.simulator;

import java.util.ArrayList;
import java.util.List;

/** Formats a {@link SimulationResult} for people to read. */
final class Report {

  private final SimulationResult outcome;
  private final Scenario scenario;
  private final List<String> lines = new ArrayList<>();

  Report(SimulationResult outcome) {
    this.outcome = outcome;
    this.scenario = outcome.scenario();
  }

  List<String> lines() {
    line("limit", scenario.limit().toString());
    Facts.changes(scenario).forEach(change -> line("", change));
    line("peer", scenario.peer().rule().toString());
    line("world", String.join("; ", Facts.of(scenario)));
    line("sent", outcome.sends() + costs() + " in " + Findings.span(outcome.nanos()));
    line(scenario.peer().refuses() ? "refused" : "too many", refused());
    line(scenario.peer().refuses() ? "accepted" : "in limit", accepted());
    line("waits", waits());
    String digest = String.format("%016x", outcome.digest());
    line("run", "seed " + scenario.seed() + ", fingerprint " + digest);
    return lines;
  }

  private void line(String name, String text) {
    lines.add(String.format("%-11s%s", name, text));
  }

  private String costs() {
    return outcome.cost() == outcome.sends() ? "" : " of cost " + outcome.cost();
  }

  private String refused() {
    String of = " of " + outcome.sends();
    if (outcome.kept()) {
      return "none" + of + gist();
    }
    String share = Findings.percent((double) outcome.refused() / outcome.sends());
    String all = scenario.peer().refuses() ? "" : ", and counted all the same";
    return outcome.refused() + of + " (" + share + ")" + all + gist();
  }

  private String gist() {
    String worst = outcome.worstWords();
    return worst.isEmpty() ? "" : "; " + worst + ", at " + Findings.span(outcome.worstAt());
  }

  private String accepted() {
    String many = outcome.accepted() + (costs().isEmpty() ? "" : " of cost " + outcome.cost());
    double perNano = outcome.acceptedPerNano();
    if (Double.isNaN(perNano)) {
      return many + ", all at once";
    }
    var text = new StringBuilder(many).append(", ").append(Findings.perSecond(perNano));
    if (!Double.isNaN(outcome.shareOfPeer())) {
      text.append(": ").append(Findings.percent(outcome.shareOfPeer()));
      text.append(" of what the peer allows");
    }
    double expected = outcome.perNano() / outcome.shareOfTheory();
    boolean always = scenario.client().demand() instanceof Demand.Always;
    if (outcome.kept() && always && !Double.isNaN(expected)) {
      text.append("; expected: ").append(Findings.digits(expected * 1e9));
    }
    return text.toString();
  }

  private String waits() {
    return "half up to "
        + Findings.span(outcome.wait50())
        + ", 99 % up to "
        + Findings.span(outcome.wait99())
        + ", the longest "
        + Findings.span(outcome.longestWait());
  }
}
