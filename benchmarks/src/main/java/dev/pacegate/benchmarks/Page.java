package dev.pacegate.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes what was measured as a page of Markdown. */
final class Page {

  /** A window delivers at least this share of its rate. */
  private static final double LEAST_DELIVERED = 0.995;

  private final StringBuilder text = new StringBuilder();

  @Override
  public String toString() {
    return text.toString();
  }

  void head(Duration took) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    lines(
        "# Benchmarks",
        "",
        format(
            "Made by `benchmarks/run`, which took %d minutes; with `--quick` it takes a few, for a look.",
            took.plusSeconds(30).toMinutes()),
        "",
        format(
            "Machine: %d processors, %s %s, %s %s.",
            system.getAvailableProcessors(),
            system.getName(),
            system.getArch(),
            System.getProperty("java.vm.name"),
            Runtime.version()),
        format(
            "Load average at the end: %.1f; what is above 1 is other work, and noise.",
            system.getSystemLoadAverage()),
        "Another machine gives other numbers; compare within a table.");
  }

  void fidelity(List<Fidelity.Row> one, List<Fidelity.Row> several, int threads) {
    lines(
        "",
        "## What endless demand gets",
        "",
        "In real time, at rates from 10 to 1 000 000 per second: threads take permits one after the other. *delivered* is what they",
        "got of the rate, after the first second. *most in any second* is what `dev.pacegate.audit` found, wherever the second begins:",
        "by the instants that the limiter itself reports, and as the caller read its own clock when it had the permit. A caller that",
        "loses its processor in between reads late, so by its clock a second may hold more than was let into it; `peer(...)` is for",
        "peers that see that. *After a pause* is the most in any second, by the caller's clock, when there was no demand for a second",
        "before: Guava saves up what was not taken. Guava reports no instants.",
        "",
        "**The promise** of `N/1s`: by its own instants never more than N in any second, and at least 99.5 % of N delivered. A",
        "spacing never makes up for a thread that wakes up some 70 us late; spinning for the last 100 us avoids it.",
        "",
        "### One thread");
    table(one, true);
    lines("", "### " + threads + " threads");
    table(several, false);
    lines("");
    lines(verdict(one, several));
  }

  private void table(List<Fidelity.Row> rows, boolean pauses) {
    lines(
        "",
        "| per second | limiter | delivered | most in any second, reported | as read |"
            + (pauses ? " after a pause |" : ""),
        "|--:|---|--:|--:|--:|" + (pauses ? "--:|" : ""));
    for (Fidelity.Row row : rows) {
      line(
          format(
                  "| %s | %s | %.2f %% | ",
                  number(row.perSecond()), row.limiter(), 100 * row.delivered())
              + (row.mostReported() == null ? "none" : number(row.mostReported()))
              + (Boolean.FALSE.equals(row.kept()) ? " **broken**" : "")
              + " | "
              + number(row.mostRead())
              + " |"
              + (row.mostAfterPause() == null ? "" : " " + number(row.mostAfterPause()) + " |"));
    }
  }

  private static String verdict(List<Fidelity.Row> one, List<Fidelity.Row> several) {
    List<Fidelity.Row> all = new ArrayList<>(one);
    all.addAll(several);
    long broken = all.stream().filter(row -> Boolean.FALSE.equals(row.kept())).count();
    double least =
        all.stream()
            .filter(row -> row.limiter().contains("`" + row.perSecond() + "/1s`"))
            .mapToDouble(Fidelity.Row::delivered)
            .min()
            .orElse(Double.NaN);
    return format(
        "By the instants they report, limits broken: %d. The least that a window delivered: %.2f %% (%s).",
        broken, 100 * least, least >= LEAST_DELIVERED ? "kept" : "**missed**");
  }

  void keys(KeyMemory memory) {
    lines(KeyMemoryText.lines(memory));
  }

  void shaping(Shaping shaping) {
    lines(ShapingText.lines(shaping.rows()));
  }

  void crowd(Crowd crowd, Waiting waiting) {
    lines(CrowdText.lines(crowd.rows()));
    lines(waiting.lines());
  }

  static String number(long value) {
    return format("%,d", value).replace(',', ' ');
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  void lines(String... lines) {
    for (String line : lines) {
      line(line);
    }
  }

  void line(String line) {
    text.append(line).append('\n');
  }
}
