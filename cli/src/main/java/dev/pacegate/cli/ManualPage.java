package dev.pacegate.cli;

import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The manual page of a command, in the language of {@code man}. */
final class ManualPage {

  private static final int NEVER_FOLDED = 1 << 16; // man folds lines itself

  private final CommandSpec spec;
  private final Help help;
  private final StringBuilder text = new StringBuilder();

  ManualPage(CommandLine command) {
    command.setUsageHelpWidth(NEVER_FOLDED);
    this.spec = command.getCommandSpec();
    this.help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
  }

  /** Returns the name of the page, such as {@code pacegate-run}. */
  String name() {
    return spec.qualifiedName("-");
  }

  String text() {
    text.setLength(0);
    request(".TH " + escaped(name().toUpperCase(Locale.ROOT)) + " 1");
    request(".SH NAME");
    line(name() + " - " + String.join(" ", spec.usageMessage().description()));
    request(".SH SYNOPSIS");
    line(help.synopsis(0).strip());
    if (!spec.subcommands().isEmpty()) {
      request(".SH COMMANDS");
      spec.subcommands().values().forEach(each -> addCommand(each.getCommandSpec()));
    }
    request(".SH OPTIONS");
    spec.positionalParameters().forEach(each -> add(each, parameter(each)));
    spec.options().stream().filter(each -> !each.hidden()).forEach(each -> add(each, option(each)));
    request(".SH DESCRIPTION");
    addParagraphs(help.footer());
    return text.toString();
  }

  private void addCommand(CommandSpec command) {
    request(".TP");
    request(".BR " + escaped(command.qualifiedName("-")) + " (1)");
    line(String.join(" ", command.usageMessage().description()));
  }

  private Text[][] option(CommandLine.Model.OptionSpec option) {
    return help.createDefaultOptionRenderer()
        .render(option, help.parameterLabelRenderer(), help.colorScheme());
  }

  private Text[][] parameter(CommandLine.Model.PositionalParamSpec parameter) {
    return help.createDefaultParameterRenderer()
        .render(parameter, help.parameterLabelRenderer(), help.colorScheme());
  }

  /** A row has the names in its first columns and a line of the description in the last one. */
  private void add(ArgSpec argument, Text[][] rows) {
    var names = new StringBuilder();
    for (int column = 1; column < rows[0].length - 1; column++) {
      names.append(rows[0][column]);
    }
    request(".TP");
    line(argument.isOption() ? names.toString() : argument.paramLabel());
    for (Text[] row : rows) {
      line(row[row.length - 1].toString());
    }
  }

  private void addParagraphs(String footer) {
    footer.lines().forEach(each -> line(each));
  }

  private void request(String request) {
    text.append(request).append('\n');
  }

  /** A line that is indented stays as it is, and an empty one begins a paragraph. */
  private void line(String line) {
    if (line.isBlank()) {
      request(".PP");
    } else if (line.startsWith("  ")) {
      text.append(".br\n\\&").append(escaped(line)).append('\n');
    } else {
      text.append("\\&").append(escaped(line)).append('\n');
    }
  }

  private static String escaped(String plain) {
    return plain.replace("\\", "\\e").replace("-", "\\-");
  }
}
