package dev.pacegate.tidy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The steps of the build. {@code .ci/steps} has a step per line, {@code name | cadence | budget
 * seconds | what it proves}; blank lines and lines that begin with # are skipped. {@code .ci/run}
 * has a function {@code step_NAME} for each, with underscores in place of dashes.
 */
final class CiSteps {

  static final long MOST_OF_PUSH = 1200;
  static final long MOST_OF_NIGHTLY = 3600;

  private static final Set<String> CADENCES = Set.of("first", "push", "pages", "nightly");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(?:-[a-z0-9]+)*");
  private static final Pattern FUNCTION =
      Pattern.compile("(?m)^\\s*(?:function\\s+)?step_([A-Za-z0-9_]+)\\s*\\(\\)");

  private final List<String> red = new ArrayList<>();
  private final Map<String, Integer> lineOfStep = new LinkedHashMap<>();
  private long push;

  private CiSteps() {}

  /** Judges the texts of {@code .ci/steps} and {@code .ci/run}. */
  static List<String> judge(String steps, String run) {
    var judge = new CiSteps();
    List<String> lines = steps.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        judge.step(i + 1, line.split("\\s*\\|\\s*", -1));
      }
    }
    if (judge.push > MOST_OF_PUSH) {
      judge.red.add(
          (".ci/steps:1: the steps of push may take " + judge.push + " s together: at most ")
              + (MOST_OF_PUSH + " s are allowed, move some to nightly"));
    }
    judge.compare(run);
    return judge.red;
  }

  private void step(int line, String[] fields) {
    String at = ".ci/steps:" + line + ": ";
    if (fields.length != 4 || fields[3].isEmpty()) {
      red.add(at + "write it as: name | cadence | budget seconds | what it proves");
      return;
    }
    String name = fields[0];
    if (!NAME.matcher(name).matches()) {
      red.add(at + "\"" + name + "\" is no name: use lower-case letters, digits and dashes");
    }
    if (lineOfStep.putIfAbsent(name, line) != null) {
      red.add(at + name + " is also on line " + lineOfStep.get(name) + ": rename one of them");
    }
    if (!CADENCES.contains(fields[1])) {
      red.add(at + name + " has cadence \"" + fields[1] + "\": use first, push, pages or nightly");
    }
    budget(at + name, fields[1], fields[2]);
  }

  private void budget(String step, String cadence, String text) {
    long budget = text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
    if (budget == 0) {
      red.add(step + " has no budget but \"" + text + "\": give the seconds it may take");
    }
    if (cadence.equals("push")) {
      push += budget;
    }
    if (cadence.equals("nightly") && budget > MOST_OF_NIGHTLY) {
      red.add(
          step + " may take " + budget + " s: split it into parts of " + MOST_OF_NIGHTLY + " s");
    }
  }

  private void compare(String run) {
    Set<String> functions =
        FUNCTION
            .matcher(run)
            .results()
            .map((MatchResult match) -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    lineOfStep.forEach(
        (name, line) -> {
          if (!functions.remove(name.replace('-', '_'))) {
            String function = "step_" + name.replace('-', '_');
            red.add(
                ".ci/steps:"
                    + line
                    + ": "
                    + name
                    + " has no function: write "
                    + function
                    + " in .ci/run");
          }
        });
    for (String function : functions) {
      red.add(
          ".ci/run:1: step_" + function + " is no step: add its line to .ci/steps or delete it");
    }
  }
}
