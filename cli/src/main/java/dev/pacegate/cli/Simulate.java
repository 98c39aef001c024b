package dev.pacegate.cli;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.simulator.Gallery;
import dev.pacegate.simulator.Scenarios;
import dev.pacegate.simulator.Setting;
import dev.pacegate.simulator.Settings;
import dev.pacegate.simulator.Simulation;
import dev.pacegate.simulator.SimulationResult;
import dev.pacegate.simulator.Study;
import dev.pacegate.simulator.Timeline;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate simulate}: tries a limit against a simulated peer. */
final class Simulate implements Callable<Integer> {

  private static final String[] SYNOPSIS = {
    "pacegate simulate SCENARIO [OPTION]...",
    "       pacegate simulate LIMIT... --peer RULE [OPTION]...",
    "       pacegate simulate --gallery FOLDER"
  };

  private static final String[] FOOTER = {
    "",
    "SCENARIO is a file that ends in .yaml, or one of those that come with Pacegate: @|bold "
        + String.join(", ", Scenarios.names())
        + "|@.",
    "Its keys are the options above without the dashes; options given here override its values.",
    "",
    "LIMIT is used as it is written: 10/1s counts starts, peer(10/1s) as the other side does. pipe,"
        + " run and proxy read 10/1s as peer(10/1s).",
    "",
    "The limiter is the real one. The same seed gives the same run, to the last bit: the"
        + " fingerprint is taken from every event.",
    "",
    "Exit status: 0 if the peer refused none, or a scenario showed what it claims; 1 if not; 2"
        + " for bad arguments."
        + Status.AND_OTHERS,
    "",
    "Example: pacegate simulate 'peer(10/1s)' --peer 'sliding(10/1s)' --stalls 1%%"
  };

  private static final String MOST =
      ", with the most it found in one window, burst or other measure of its rule, of what it"
          + " allows.";

  /** What the words of a table mean, in the order in which they are explained. */
  private static final List<Map.Entry<String, String>> LEGEND =
      List.of(
          Map.entry("refused", "what the peer rejects" + MOST),
          Map.entry("too many", "what is above the peer's rule" + MOST),
          Map.entry("accepted", "without that."),
          Map.entry("in limit", "without that."),
          Map.entry("expected", "what the limit lets through in theory, with these delays."),
          Map.entry("waits", "how long requests waited for a permit."),
          Map.entry("fingerprint", "the same for the same seed and settings, on every JDK."));

  private final World world;

  private final Map<Setting, String> given = new EnumMap<>(Setting.class);
  private final Settings settings = new Settings();
  private List<String> subjects = List.of();
  private @Nullable String svg;
  private @Nullable String gallery;

  private Simulate(World world) {
    this.world = world;
  }

  /** Returns the command with an option for every setting. */
  static CommandSpec command(World world) {
    var simulate = new Simulate(world);
    CommandSpec spec =
        CommandOptions.command(
            simulate,
            "simulate",
            "Tries a LIMIT against a simulated peer: a program, a network and a peer with its own"
                + " clock and rule, in virtual time.",
            FOOTER);
    spec.usageMessage().customSynopsis(SYNOPSIS).sortOptions(false);
    simulate.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    all.parametersFrom(
            0,
            "LIMIT",
            "limits to try in the same world, or one SCENARIO",
            texts -> subjects = texts)
        .text(
            "--svg",
            "FILE",
            "draw the worst place, or the same place of a run without a refusal; several limits go"
                + " to FILE-1.svg, FILE-2.svg, ...",
            text -> svg = text)
        .text(
            "--gallery",
            "FOLDER",
            "draw all scenarios that come with Pacegate into FOLDER, with a page for a browser,"
                + " FOLDER/index.html; without a LIMIT, a SCENARIO or another option",
            text -> gallery = text);
    for (Setting setting : Setting.values()) {
      add(setting, all);
    }
  }

  /** Its value is checked later, together with all others. */
  private void add(Setting setting, CommandOptions all) {
    boolean isPeer = setting == Setting.PEER;
    String usual = isPeer ? "" : "; default: " + setting.usual();
    String meaning = setting.meaning() + usual + "; allowed: " + setting.range();
    all.text(
        "--" + setting.text(),
        isPeer ? "RULE" : "VALUE",
        meaning.replace("%", "%%"),
        text -> given.put(setting, text));
  }

  @Override
  public Integer call() throws Failure {
    if (gallery != null) {
      return drawAll(gallery);
    }
    if (subjects.isEmpty()) {
      throw new Failure(
          "no LIMIT and no SCENARIO is given; a SCENARIO is a file or one of "
              + String.join(", ", Scenarios.names()));
    }
    for (Map.Entry<Setting, String> one : given.entrySet()) {
      try {
        settings.set(one.getKey(), one.getValue());
      } catch (IllegalArgumentException e) {
        throw new Failure("--" + e.getMessage());
      }
    }
    String first = subjects.get(0);
    if (subjects.size() == 1 && isScenario(first)) {
      return run(study(first));
    }
    List<Study.Run> runs = runs();
    return run(new Study("", "", runs, readings(runs)));
  }

  /** Says which of the limits are others to commands that see how a request ends. */
  private static String readings(List<Study.Run> runs) {
    var readings = new ArrayList<String>();
    for (Study.Run run : runs) {
      Limit limit = run.scenario().limit();
      Limit counted = asPeerCounts(limit);
      if (!counted.equals(limit)) {
        readings.add(limit + " as " + counted);
      }
    }
    String words = "Starts are counted unless a term says peer; pipe, run and proxy read ";
    return readings.isEmpty() ? "" : words + String.join(", ", readings) + ".";
  }

  private static Limit asPeerCounts(Limit limit) {
    try {
      return limit.asPeerCounts();
    } catch (IllegalArgumentException refused) { // by those commands, which say why
      return limit;
    }
  }

  private int drawAll(String folder) throws Failure {
    if (!subjects.isEmpty() || !given.isEmpty() || svg != null) {
      throw new Failure("--gallery draws the scenarios as they are: leave out everything else");
    }
    try {
      if (Files.exists(Path.of(folder)) && !Files.isDirectory(Path.of(folder))) {
        throw new Failure("cannot write into " + folder + " (Not a directory)");
      }
      Gallery.write(Path.of(folder));
    } catch (IOException e) {
      throw Failure.cannotOpen(folder, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write into " + folder + " (" + e.getReason() + ")");
    }
    new Output(world.out()).write("open " + Path.of(folder, "index.html") + "\n");
    return Status.OK;
  }

  /** Returns whether it is a scenario, or may be meant as one. */
  private static boolean isScenario(String text) {
    boolean isName = text.matches("[a-z]+(-[a-z]+)*") && !LimitArgument.isLimit(text);
    return isFile(text) || isName;
  }

  private static boolean isFile(String text) {
    return text.endsWith(".yaml") || text.endsWith(".yml");
  }

  private Study study(String name) throws Failure {
    try {
      return isFile(name)
          ? Scenarios.read(name, Files.readString(Path.of(name)), settings)
          : Scenarios.named(name, settings);
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage());
    } catch (CharacterCodingException e) {
      throw new Failure("cannot read " + name + " (not UTF-8)");
    } catch (IOException e) {
      throw Failure.cannotRead(name, e);
    }
  }

  private List<Study.Run> runs() throws Failure {
    var runs = new ArrayList<Study.Run>();
    for (String text : subjects) {
      try {
        var scenario = settings.scenario(Limits.parse(text));
        runs.add(new Study.Run(scenario, Study.Refused.ANY));
      } catch (LimitFormatException e) {
        throw new Failure(LimitArgument.problem(e));
      } catch (IllegalArgumentException e) {
        throw new Failure("--" + e.getMessage());
      }
    }
    return runs;
  }

  private int run(Study study) throws Failure {
    checkCanDraw();
    var out = new Output(world.out());
    out.write(paragraph(study.question()));
    int status = Status.OK;
    var outcomes = new ArrayList<SimulationResult>();
    var all = new ArrayList<String>();
    for (Study.Run run : study.runs()) {
      SimulationResult outcome = simulate(run);
      outcomes.add(outcome);
      boolean isAsExpected = isAsExpected(run, outcome);
      boolean isClaim = run.refused() != Study.Refused.ANY;
      var lines = new ArrayList<>(outcome.lines());
      all.addAll(lines);
      if (!isAsExpected) {
        status = Status.BROKEN;
      }
      if (!isAsExpected && isClaim) {
        lines.add("which is not what the scenario claims");
      }
      out.write(String.join("\n", lines) + "\n\n");
    }
    draw(outcomes);
    out.write(paragraph(legend(all)) + paragraph(study.answer()));
    return status;
  }

  /** Returns what the words in a table mean, and of no others. */
  private static String legend(List<String> lines) {
    var legend = new ArrayList<String>();
    for (Map.Entry<String, String> word : LEGEND) {
      Pattern use = Pattern.compile("(^|[;,] )" + word.getKey() + "\\b");
      if (lines.stream().anyMatch(line -> use.matcher(line).find())) {
        legend.add(word.getKey() + ": " + word.getValue());
      }
    }
    return String.join(" ", legend);
  }

  private static SimulationResult simulate(Study.Run run) throws Failure {
    try {
      return Simulation.run(run.scenario());
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new Failure(e.getMessage());
    }
  }

  private static boolean isAsExpected(Study.Run run, SimulationResult outcome) {
    return run.refused() == Study.Refused.ANY ? outcome.kept() : run.refused().of(outcome);
  }

  private void draw(List<SimulationResult> outcomes) throws Failure {
    if (svg == null) {
      return;
    }
    List<String> drawings = Timeline.svgs(outcomes);
    for (int i = 0; i < drawings.size(); i++) {
      write(drawings.size() == 1 ? svg : numbered(svg, i + 1), drawings.get(i));
    }
  }

  // Before a long run, rather than behind it.
  private void checkCanDraw() throws Failure {
    if (svg == null) {
      return;
    }
    try {
      Path file = Path.of(svg).toAbsolutePath();
      if (Files.isDirectory(file)) {
        throw new Failure("cannot write " + svg + " (Is a directory)");
      } else if (file.getParent() == null || !Files.isDirectory(file.getParent())) {
        throw new Failure("cannot write " + svg + " (No such file or directory)");
      }
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + svg + " (" + e.getReason() + ")");
    }
  }

  private static void write(String file, String drawing) throws Failure {
    try {
      Files.writeString(Path.of(file), drawing);
    } catch (IOException e) {
      throw Failure.cannotOpen(file, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + file + " (" + e.getReason() + ")");
    }
  }

  /** Returns the name with a number before its ending. */
  private static String numbered(String file, int number) {
    int dot = file.lastIndexOf('.');
    int ending = dot > file.lastIndexOf('/') ? dot : file.length();
    return file.substring(0, ending) + "-" + number + file.substring(ending);
  }

  /** Returns text in lines of at most 80 cells, and an empty one; nothing if there is none. */
  private static String paragraph(String text) {
    return text.isEmpty() ? "" : HelpWidth.folded(text.strip().replaceAll("\\s+", " "), 80) + "\n";
  }
}
