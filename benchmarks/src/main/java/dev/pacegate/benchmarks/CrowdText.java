package dev.pacegate.benchmarks;

import dev.pacegate.benchmarks.Crowd.Row;
import dev.pacegate.benchmarks.Crowd.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The section about {@link Crowd}. */
final class CrowdText {

  private static final double[] SHARES = {0.5, 0.99};

  private CrowdText() {}

  static String[] lines(List<Row> rows) {
    var lines = new ArrayList<>(HEAD);
    for (Row row : rows) {
      lines.add(line(row.threads(), "Pacegate, a window that opens", row.limiter()));
      lines.add(line(row.threads(), "a fair `Semaphore`, released at once", row.semaphore()));
    }
    lines.addAll(List.of("", "**The goal**: at most " + Crowd.GOAL + " times the semaphore.", ""));
    for (Row row : rows) {
      lines.add(goal(row));
    }
    return lines.toArray(String[]::new);
  }

  private static final List<String> HEAD =
      List.of(
          "",
          "## How soon the first of a crowd sends",
          "",
          "So many threads wait, and all may go at once. *first*: from the stamp of its permit until the first in the queue has",
          "returned; of the semaphore, from the instant before its permits are released. In rounds, of both in turn, by",
          "the same threads.",
          "",
          "| threads | | first, median us | first, 99 % us |",
          "|--:|---|--:|--:|");

  private static String line(int threads, String name, Times times) {
    return format(
        "| %d | %s | %.0f | %.0f |",
        threads, name, times.at(SHARES[0]) / 1e3, times.at(SHARES[1]) / 1e3);
  }

  private static String goal(Row row) {
    double median = row.ratio(SHARES[0]);
    double most = row.ratio(SHARES[1]);
    return format(
        "- %d threads: median %.2f times, 99 %% %.2f times: %s",
        row.threads(),
        median,
        most,
        Math.max(median, most) <= Crowd.GOAL ? "reached." : "**missed.**");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
