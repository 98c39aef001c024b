package dev.pacegate.benchmarks;

import dev.pacegate.benchmarks.Speed.Outcome;
import dev.pacegate.benchmarks.Speed.Readings;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Writes what was measured as a page of Markdown. */
final class Page {

  /** A call may take so many times the floor. */
  private static final double GOAL = 1.15;

  /** A window delivers at least this share of its rate. */
  private static final double LEAST_DELIVERED = 0.995;

  private static final Set<Subject> JUDGED = EnumSet.of(Subject.WINDOW, Subject.BUCKET);

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

  void speed(Speed speed) {
    lines(
        "",
        "## The cost of a call that need not wait",
        "",
        "`tryAcquire()`, or what comes nearest to it, at limiters that let every request through and at limiters that turn",
        "every request away. Each call checks its outcome, and ends its permit where the limit needs it.",
        "",
        "**The floor** is a reading of `System.nanoTime()` and one successful compare-and-set of a `long`: no limiter that looks",
        "at a precise clock and is right when used by several threads can do with less. (One that reads a coarser clock, or",
        "writes nothing down when it refuses, can.)",
        "",
        "**How to read it.** *best* and *median* are those of many short readings. What else runs on the machine can",
        "only add to a reading: the distance between the two is noise. *floors* is the best divided by that of the floor. The",
        format(
            "floor itself is measured twice, in either column, and differs by %.0f %%: closer than that, two numbers are the same.",
            100 * speed.noise()),
        "*bytes* are allocated per call. The settings are of the granting limiters; the refusing ones allow as many per day,",
        "all of them used.",
        "",
        "### One thread",
        "",
        "![Best time of a call that is granted, for each limiter](benchmarks.svg)",
        "",
        "| | granted: floors | best ns | median ns | bytes | refused: floors | best ns | median ns | bytes | settings |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for (Subject subject : Subject.values()) {
      line(
          format("| %s |", subject.title)
              + ratio(speed, subject, Outcome.GRANTED)
              + cells(speed, subject, Outcome.GRANTED, 1)
              + ratio(speed, subject, Outcome.REFUSED)
              + cells(speed, subject, Outcome.REFUSED, 1)
              + format(" %s |", subject.detail));
    }
    goal(speed);
    lines(
        "",
        "### Two threads, one limiter",
        "",
        "Here the best is luck: a thread that had the limiter for itself for a while, the other one being off its processor.",
        "",
        "| | granted: median ns | best ns | bytes | refused: median ns | best ns | bytes |",
        "|---|--:|--:|--:|--:|--:|--:|");
    for (Subject subject : Subject.values()) {
      line(
          format("| %s |", subject.title)
              + cells(speed, subject, Outcome.GRANTED, 2)
              + cells(speed, subject, Outcome.REFUSED, 2));
    }
    lines(
        "",
        "A dash: not measured, or it did not keep granting or refusing. A median of milliseconds: in half of the readings one thread",
        "finished hardly a call while the other one ran; the mean over both threads then says nothing of what a call costs.");
  }

  private static String ratio(Speed speed, Subject subject, Outcome outcome) {
    return format(" %.2f |", speed.ratio(subject, outcome));
  }

  private static String cells(Speed speed, Subject subject, Outcome outcome, int threads) {
    Optional<Readings> readings = speed.of(subject, outcome, threads);
    if (readings.isEmpty()) {
      return " – | – | – |";
    }
    Readings all = readings.get();
    double first = threads == 1 ? all.fastest() : all.median();
    double second = threads == 1 ? all.median() : all.fastest();
    return format(" %.1f | %.1f | %.0f |", first, second, all.bytes());
  }

  private void goal(Speed speed) {
    lines(
        "",
        "**The goal** of window and bucket: at most "
            + GOAL
            + " floors, no allocation, ahead of the others.",
        "");
    for (Subject subject : JUDGED) {
      for (Outcome outcome : Outcome.values()) {
        line("- " + judge(speed, subject, outcome));
      }
    }
  }

  private static String judge(Speed speed, Subject subject, Outcome outcome) {
    double ratio = speed.ratio(subject, outcome);
    double bytes = speed.of(subject, outcome, 1).map(Readings::bytes).orElse(Double.NaN);
    List<String> faster = new ArrayList<>();
    for (Subject other : Subject.values()) {
      if (!other.isPacegate() && other != Subject.FLOOR && speed.ratio(other, outcome) < ratio) {
        faster.add(other.title);
      }
    }
    return format(
        "%s, %s: %.2f floors, %.0f bytes, %s: %s",
        subject.title,
        outcome.name().toLowerCase(Locale.ROOT),
        ratio,
        bytes,
        faster.isEmpty() ? "ahead of all" : "behind " + String.join(", ", faster),
        ratio <= GOAL && bytes < 0.5 && faster.isEmpty() ? "reached." : "**missed.**");
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

  void crowd(Crowd crowd) {
    lines(CrowdText.lines(crowd.rows()));
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
