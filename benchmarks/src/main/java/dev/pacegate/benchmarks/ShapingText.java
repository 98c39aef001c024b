package dev.pacegate.benchmarks;

import dev.pacegate.benchmarks.Shaping.Row;
import dev.pacegate.benchmarks.Shaping.Sender;
import dev.pacegate.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The section about {@link Shaping}. */
final class ShapingText {

  /** A limit that makes good what a late thread has missed delivers at least this share. */
  private static final double LEAST_DELIVERED = 0.99;

  /** A spacing, so much of what a bare loop delivers. */
  private static final double LEAST_OF_BARE = 0.98;

  /** A spacing whose sender spins. */
  private static final double LEAST_SPINNING = 0.995;

  private static final long SECOND = 1_000_000_000;

  private ShapingText() {}

  static String[] lines(List<Row> rows) {
    var lines = new ArrayList<>(HEAD);
    for (Row row : rows) {
      lines.add(line(row));
    }
    lines.add("");
    lines.add("**The goals**, at " + number(Shaping.JUDGED) + " per second:");
    lines.add("");
    lines.addAll(goals(rows));
    return lines.toArray(String[]::new);
  }

  private static final List<String> HEAD =
      List.of(
          "",
          "## How evenly an endless supply is sent",
          "",
          "In real time, one sender after the other, all in the same run, in rounds. *delivered* is what was sent of the rate in the",
          "best round: other work can only make a sender late. *median gap* and *CPU*, processor seconds of the whole process per",
          "second, are of that round. The others are the worst of all rounds, as `dev.pacegate.audit` found them: the *smallest gap*",
          "between two, the most *in any second*, and the *burst*, the least B for which any W held at most B + rate · W.",
          "Pacegate's are by the instants of its permits, the others' by the clock when something was sent.",
          "",
          "**The bare loop** sends, then parks until the clock says that one gap has passed, and so on: what a thread that parks and",
          "never sends two closer than the gap can reach. How late it wakes is its median gap less the gap that was asked for.",
          "Pekko's timer ticks every 10 ms unless told otherwise.",
          "",
          "| per second | sender | limit | delivered | median gap | smallest gap | in any second | burst | CPU |",
          "|--:|---|---|--:|--:|--:|--:|--:|--:|");

  private static String line(Row row) {
    Limit limit = row.sender().limit(row.perSecond());
    return format(
        "| %s | %s | %s | %.2f %% | %.1f us | %.1f us | %s | %s | %.2f |",
        number(row.perSecond()),
        row.sender().title,
        limit == null ? "" : "`" + limit + "` " + (row.kept() ? "kept" : "**broken**"),
        100 * row.delivered(),
        row.medianGap() / 1e3,
        row.smallestGap() / 1e3,
        number(row.mostInSecond()),
        number(row.burst()),
        row.cpu());
  }

  private static List<String> goals(List<Row> rows) {
    Map<Sender, Row> judged =
        rows.stream()
            .filter(row -> row.perSecond() == Shaping.JUDGED)
            .collect(Collectors.toMap(Row::sender, row -> row));
    var goals = new ArrayList<String>();
    for (Sender sender : List.of(Sender.WINDOW, Sender.BUCKET)) {
      goals.add(goal(judged.get(sender), LEAST_DELIVERED));
    }
    double bare = judged.get(Sender.BARE).delivered();
    goals.add(
        goal(judged.get(Sender.SPACING), LEAST_OF_BARE * bare)
            + format(" The bare loop: %.2f %%.", 100 * bare));
    for (Sender sender : List.of(Sender.SPINNING_100, Sender.SPINNING_200)) {
      goals.add(goal(judged.get(sender), LEAST_SPINNING));
    }
    for (Sender sender : List.of(Sender.SPACING, Sender.SPINNING_100, Sender.SPINNING_200)) {
      goals.add(gap(judged.get(sender)));
    }
    long broken = rows.stream().filter(row -> Boolean.FALSE.equals(row.kept())).count();
    goals.add(
        format("- Limits broken by the permits' instants, at any rate: %d", broken)
            + outcome(broken == 0));
    return goals;
  }

  private static String goal(Row row, double least) {
    return format(
            "- %s `%s`: %.2f %% delivered, at least %.2f %%",
            row.sender().title,
            row.sender().limit(row.perSecond()),
            100 * row.delivered(),
            100 * least)
        + outcome(row.delivered() >= least);
  }

  private static String gap(Row row) {
    long asked = SECOND / row.perSecond();
    return format(
            "- %s `%s`: smallest gap %s ns, at least %s ns",
            row.sender().title,
            row.sender().limit(row.perSecond()),
            number(row.smallestGap()),
            number(asked))
        + outcome(row.smallestGap() >= asked);
  }

  private static String outcome(boolean reached) {
    return reached ? ": reached." : ": **missed.**";
  }

  private static String number(long value) {
    return format("%,d", value).replace(',', ' ');
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
