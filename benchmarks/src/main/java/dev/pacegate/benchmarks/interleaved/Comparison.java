package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import dev.pacegate.benchmarks.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Compares two versions of Pacegate, which take turns within the same JVMs. */
public final class Comparison {

  /**
   * What a verdict needs. At 95 %, one of seventeen rows would be called faster or slower in every
   * other run, though nothing has changed.
   */
  private static final double SURE = 0.999;

  private final Plan plan;
  private final Lineup lineup;
  private final Readings readings;

  private Comparison(Plan plan, Lineup lineup, Readings readings) {
    this.plan = plan;
    this.lineup = lineup;
    this.readings = readings;
  }

  /**
   * Takes the folder for what is left over, the file to write, the version before and the version
   * after, each a jar of the core or a folder of its classes, and then in any order {@code --quick}
   * and the names of subjects: all of Pacegate's unless there are any.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    var rest = new ArrayList<>(List.of(args).subList(4, args.length));
    boolean quick = rest.remove("--quick");
    List<Subject> subjects =
        rest.isEmpty() ? subjects() : rest.stream().map(Subject::valueOf).toList();
    var lineup = new Lineup(subjects, List.of(Path.of(args[2]), Path.of(args[3])));
    String page = page(Plan.of(quick), lineup, Path.of(args[0]));
    System.out.println(page);
    Files.writeString(Path.of(args[1]), page);
    System.out.println("written: " + args[1]);
  }

  /** Returns Pacegate's subjects and the floor, which is the same before and after: a control. */
  static List<Subject> subjects() {
    return Arrays.stream(Subject.values())
        .filter(subject -> subject.isPacegate() || subject == Subject.FLOOR)
        .toList();
  }

  /** Returns the page. */
  static String page(Plan plan, Lineup lineup, Path work) throws IOException, InterruptedException {
    return new Comparison(plan, lineup, Forks.run(plan, lineup, work)).page();
  }

  private String page() {
    Text text =
        new Text()
            .lines(
                "# Before and after",
                "",
                "Before: " + Text.code(lineup.versions().get(0).toString()) + ".",
                "After: " + Text.code(lineup.versions().get(1).toString()) + ".",
                "",
                plan.told(),
                "",
                "*ratio* is how many times as long as before a call takes, each round by itself: the median, and its 95 % interval.",
                Text.format(
                    "*Faster* and *slower* need one of %.1f %% that leaves 1 out, as there are many rows. The floor is the same before",
                    100 * SURE),
                "and after, and has to be level. *ns* are medians; *bytes* are allocated per call, on average; 0 is less than a thousandth.")
            .numbers(
                "", "before ns", "after ns", "ratio", "95 %", "bytes before", "after", "verdict");
    for (List<Case> pair : lineup.groups()) {
      row(text, pair.get(0), pair.get(1));
    }
    return text.toString();
  }

  private void row(Text text, Case before, Case after) {
    var ratio = new Bootstrap(readings.ratios(after, before), plan.seed());
    Verdict verdict = Verdict.of(ratio.interval(SURE));
    text.row(
        before.name(),
        Text.format("%.1f", readings.nanos(before)),
        Text.format("%.1f", readings.nanos(after)),
        Text.format("%.3f", ratio.median()),
        ratio.interval(0.95),
        readings.bytes(before),
        readings.bytes(after),
        verdict == Verdict.LEVEL ? verdict : "**" + verdict + "**");
  }
}
