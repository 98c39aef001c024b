package dev.pacegate.cli;

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
      String seen = "__fish_seen_subcommand_from " + spec.name();
      fish.addCommands(spec, seen);
      fish.addOptions(spec, seen);
      for (CommandLine inner : each.getSubcommands().values()) {
        String name = inner.getCommandSpec().name();
        fish.addOptions(inner.getCommandSpec(), seen + "; and __fish_seen_subcommand_from " + name);
      }
    }
    return fish.text.toString();
  }

  private void addCommands(CommandSpec of, String condition) {
    for (CommandLine each : of.subcommands().values()) {
      CommandSpec spec = each.getCommandSpec();
      add(condition, "-a " + spec.name(), spec.usageMessage().description());
    }
  }

  private void addOptions(CommandSpec of, String condition) {
    for (OptionSpec option : of.options()) {
      var names = new StringBuilder();
      for (String name : option.names()) {
        names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.charAt(1));
      }
      boolean takesValue = option.arity().min() > 0;
      add(condition, names.substring(1) + (takesValue ? " -r" : ""), option.description());
    }
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
