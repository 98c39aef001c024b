package dev.pacegate.cli;

import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completes commands and options in fish. */
final class FishCompletion {

  private final StringBuilder text = new StringBuilder();

  private FishCompletion() {}

  static String of(CommandLine command) {
    var fish = new FishCompletion();
    fish.addCommands(command.getCommandSpec(), "__fish_use_subcommand");
    fish.addOptions(command.getCommandSpec(), "__fish_use_subcommand");
    for (CommandLine each : command.getSubcommands().values()) {
      CommandSpec spec = each.getCommandSpec();
      String seen = seen(spec.name());
      fish.addCommands(
          spec, seen + "; and not " + seen(String.join(" ", spec.subcommands().keySet())));
      fish.addOptions(spec, seen);
      for (CommandLine inner : each.getSubcommands().values()) {
        String name = inner.getCommandSpec().name();
        fish.addOptions(inner.getCommandSpec(), seen + "; and " + seen(name));
      }
    }
    return fish.text.toString();
  }

  private static String seen(String commands) {
    return "__fish_seen_subcommand_from " + commands;
  }

  /** Where a command is to come no file can. */
  private void addCommands(CommandSpec of, String condition) {
    for (CommandLine each : of.subcommands().values()) {
      CommandSpec spec = each.getCommandSpec();
      add(condition, "-f -a " + spec.name(), spec.usageMessage().description());
    }
  }

  private void addOptions(CommandSpec of, String condition) {
    for (OptionSpec option : of.options()) {
      var names = new StringBuilder();
      for (String name : option.names()) {
        names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.charAt(1));
      }
      add(condition, names.substring(1) + value(option), option.description());
    }
  }

  /**
   * Returns what follows it: one of several words, anything else, which may be a file, or nothing.
   */
  private static String value(OptionSpec option) {
    if (option.arity().min() == 0) {
      return "";
    }
    Iterable<String> words = option.completionCandidates();
    return words == null
        ? " -r"
        : " -x -a '" + String.join(" ", words).toLowerCase(Locale.ROOT) + "'";
  }

  private void add(String condition, String what, String... description) {
    text.append("complete -c pacegate -n '").append(condition).append("' ").append(what);
    if (description.length > 0) {
      text.append(" -d '").append(quoted(description[0])).append('\'');
    }
    text.append('\n');
  }

  /** Descriptions are for one line: what comes first says what it is. */
  private static String quoted(String description) {
    int end = description.indexOf(". ");
    String first = end < 0 ? description : description.substring(0, end);
    return first.replace("\\", "\\\\").replace("'", "\\'");
  }
}
