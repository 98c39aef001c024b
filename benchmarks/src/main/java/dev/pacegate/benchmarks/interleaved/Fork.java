package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One JVM, in which all cases take turns.
 *
 * <p>How fast code runs depends on what the compiler happened to inline and where it happened to
 * put it, which is settled for the life of a JVM: therefore there are several of these.
 */
final class Fork {

  private final Plan plan;
  private final Random random;
  private final List<List<Runner>> groups = new ArrayList<>();

  Fork(Plan plan, Lineup lineup) {
    this.plan = plan;
    random = new Random(plan.seed());
    List<List<Case>> cases = lineup.groups();
    Collections.shuffle(cases, random); // where things are in memory is a matter of the order, too
    for (List<Case> group : cases) {
      Collections.shuffle(group, random);
      var runners = new ArrayList<Runner>();
      for (Case turn : group) {
        runners.add(new Runner(turn, turn.loop(lineup.core(turn))));
      }
      groups.add(runners);
    }
  }

  /** Takes {@link #arguments}. */
  public static void main(String[] args) throws IOException {
    var plan =
        new Plan(
            1,
            Integer.parseInt(args[1]),
            Integer.parseInt(args[2]),
            Long.parseLong(args[3]),
            Long.parseLong(args[4]));
    List<Subject> subjects = Arrays.stream(args[5].split(",")).map(Subject::valueOf).toList();
    List<Path> versions = Arrays.stream(args).skip(6).map(Path::of).toList();
    try (var file = new PrintWriter(Files.newBufferedWriter(Path.of(args[0])))) {
      new Fork(plan, new Lineup(subjects, versions)).run(file);
    }
  }

  /** Returns what tells another JVM to measure all this, and to write it to a file. */
  static List<String> arguments(Path file, Plan plan, Lineup lineup) {
    var arguments = new ArrayList<String>();
    arguments.add(file.toString());
    arguments.add(Integer.toString(plan.warmUps()));
    arguments.add(Integer.toString(plan.rounds()));
    arguments.add(Long.toString(plan.sliceNanos()));
    arguments.add(Long.toString(plan.seed()));
    arguments.add(String.join(",", lineup.subjects().stream().map(Subject::name).toList()));
    lineup.versions().forEach(version -> arguments.add(version.toString()));
    return arguments;
  }

  private void run(PrintWriter file) {
    for (int i = 0; i < plan.warmUps(); i++) {
      round();
    }
    for (int i = 0; i < plan.rounds(); i++) {
      round().forEach(file::println);
    }
  }

  /** Lets every case have its turn, in an order of its own. */
  private List<String> round() {
    var lines = new ArrayList<String>();
    Collections.shuffle(groups, random);
    for (List<Runner> group : groups) {
      Collections.shuffle(group, random);
      for (Runner runner : group) {
        lines.add(Readings.line(runner.turn, runner.run(plan.sliceNanos())));
      }
    }
    return lines;
  }
}
