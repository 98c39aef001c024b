package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import dev.pacegate.benchmarks.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes the page on which Pacegate and other libraries take turns within the same JVMs. */
public final class Interleaved {

  private static final List<Subject> SUBJECTS = List.of(Subject.values());

  /** Other work costs a limiter more than the floor, so ratios of busy JVMs are too high. */
  private static final double MOST_FLOOR = 1.05;

  /** What a call may take, in floors, and whether that is asked of refusals, too. */
  private record Goal(Subject subject, double floors, boolean refusing, int bytes) {}

  private static final List<Goal> GOALS =
      List.of(
          new Goal(Subject.WINDOW, 1.15, true, 0),
          new Goal(Subject.BUCKET, 1.15, true, 0),
          new Goal(Subject.SPACING, 1.15, true, 0),
          new Goal(Subject.BOTH, 1.35, true, 0),
          new Goal(Subject.PEER, 2.0, false, 48),
          new Goal(Subject.SMALL_PEER, 2.8, false, 48),
          new Goal(Subject.CONCURRENT, 1.65, false, 48));

  private static final Case FLOOR = new Case(Subject.FLOOR, true, 0);

  private final Plan plan;
  private final Readings all;
  private final Readings readings; // of quiet forks
  private final Map<Case, Bootstrap> floors = new HashMap<>();

  private Interleaved(Plan plan, Readings all) {
    this.plan = plan;
    this.all = all;
    this.readings = all.quiet(FLOOR, MOST_FLOOR);
    for (Subject subject : SUBJECTS) {
      for (boolean grants : new boolean[] {true, false}) {
        Case turn = turn(subject, grants);
        floors.computeIfAbsent(
            turn, one -> new Bootstrap(readings.ratios(one, FLOOR), plan.seed()));
      }
    }
  }

  /**
   * Returns the page.
   *
   * @param work the folder in which to leave all readings
   * @param quick whether to show no more than that everything works
   */
  public static String page(Path work, boolean quick) throws IOException, InterruptedException {
    long began = System.nanoTime();
    Plan plan = Plan.of(quick);
    Readings readings = Forks.run(plan, new Lineup(SUBJECTS, List.of()), work);
    return new Interleaved(plan, readings).page(Duration.ofNanos(System.nanoTime() - began));
  }

  private String page(Duration took) {
    var text =
        new Text()
            .lines(
                "# Speed, side by side",
                "",
                "`tryAcquire()`, or what comes nearest to it, by one thread, at limiters that let every request through and at limiters",
                "that turn every request away. Each call checks its outcome. A permit that has to be ended is taken by `acquire()` and",
                "ended as answered.",
                "",
                Text.format(
                    "Made by `benchmarks/run interleaved`, which took %d seconds.",
                    took.toSeconds()),
                plan.told(),
                "",
                "![Median time of a call that is granted, for each limiter](speed.svg)",
                "",
                "**The floor** is a reading of `System.nanoTime()` and one successful compare-and-set of a `long`. *floors* is how many",
                "times as long as the floor of the same round a call takes: the median of all rounds, and its 95 % interval. *ns* are",
                "medians; *bytes* are allocated per call, on average; 0 is less than a thousandth. Medians leave out the pauses of the collector.",
                "The settings are of the granting limiters; the refusing ones allow as many per day, all of them used.",
                "",
                spread())
            .numbers(
                "",
                "granted: floors",
                "95 %",
                "ns",
                "bytes",
                "refused: floors",
                "95 %",
                "ns",
                "bytes",
                "settings");
    for (Subject subject : SUBJECTS) {
      var cells = new ArrayList<Object>(List.of(subject.title));
      cells.addAll(cells(turn(subject, true)));
      cells.addAll(
          subject == FLOOR.subject() ? List.of("", "", "", "") : cells(turn(subject, false)));
      cells.add(subject.detail);
      text.row(cells.toArray());
    }
    goals(text);
    text.lines(
        "",
        "## Who is ahead",
        "",
        "Ahead or behind is where the intervals do not overlap; level where they do.");
    text.table("", "ahead of", "level with", "behind");
    for (Subject subject : SUBJECTS) {
      if (subject.isPacegate()) {
        standing(text, turn(subject, true));
        standing(text, turn(subject, false));
      }
    }
    return text.toString();
  }

  /** Returns how quiet the machine was. */
  private String spread() {
    double[] medians = all.medians(FLOOR);
    Arrays.sort(medians);
    return Text.format(
        "The floor took %.1f to %.1f ns, by JVM. %d of %d JVMs, whose floor took more than %.0f %% longer than the least, are left out:"
            + "\nother work costs a limiter more than the floor.",
        medians[0],
        medians[medians.length - 1],
        all.forks() - readings.forks(),
        all.forks(),
        100 * (MOST_FLOOR - 1));
  }

  private void goals(Text text) {
    text.lines("", "## Goals", "");
    for (Goal goal : GOALS) {
      claim(text, goal, turn(goal.subject, true));
      if (goal.refusing) {
        claim(text, goal, turn(goal.subject, false));
      }
    }
  }

  private void claim(Text text, Goal goal, Case turn) {
    double median = floors.get(turn).median();
    double bytes = readings.meanBytes(turn);
    text.claim(
        median <= goal.floors && bytes < goal.bytes + 0.5,
        Text.format(
            "%s: %.2f floors of at most %.2f, %.0f bytes of at most %d",
            turn.name(), median, goal.floors, bytes, goal.bytes));
  }

  private List<Object> cells(Case turn) {
    Bootstrap ratio = floors.get(turn);
    return List.of(
        Text.format("%.3f", ratio.median()),
        ratio.interval(0.95),
        Text.format("%.1f", readings.nanos(turn)),
        readings.bytes(turn));
  }

  private void standing(Text text, Case ours) {
    text.row(
        ours.name(),
        others(ours, Verdict.AHEAD),
        others(ours, Verdict.LEVEL),
        others(ours, Verdict.BEHIND));
  }

  /** Returns of which other libraries this is true. */
  private String others(Case ours, Verdict verdict) {
    var names = new ArrayList<String>();
    for (Subject other : SUBJECTS) {
      if (!other.isPacegate()
          && other != Subject.FLOOR
          && verdict == Verdict.between(interval(ours), interval(turn(other, ours.grants())))) {
        names.add(other.title);
      }
    }
    return String.join("; ", names);
  }

  private Interval interval(Case turn) {
    return floors.get(turn).interval(0.95);
  }

  /** Returns the case; the floor has but one. */
  private static Case turn(Subject subject, boolean grants) {
    return subject == Subject.FLOOR ? FLOOR : new Case(subject, grants, 0);
  }
}
