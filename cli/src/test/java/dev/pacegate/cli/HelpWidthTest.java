package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The help of all commands, in terminals of several widths. */
class HelpWidthTest {

  private static List<List<String>> commands() {
    var all = new ArrayList<>(List.of(List.<String>of()));
    CommandLine main = Main.command(World.real());
    main.getSubcommands().forEach((name, command) -> add(List.of(name), command, all));
    return all;
  }

  private static void add(List<String> path, CommandLine command, List<List<String>> all) {
    all.add(path);
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> add(Stream.concat(path.stream(), Stream.of(name)).toList(), sub, all));
  }

  private static String help(List<String> command, int columns) {
    return Session.given("")
        .in(Map.of("COLUMNS", Integer.toString(columns)))
        .run(Stream.concat(command.stream(), Stream.of("--help")).toArray(String[]::new))
        .succeeds()
        .out();
  }

  /** A single word may be longer. */
  @ParameterizedTest
  @ValueSource(ints = {20, 40, 65, 66, 80, 120, 300})
  void noLineIsWiderThanTheTerminal(int columns) {
    for (List<String> command : commands()) {
      for (String line : help(command, columns).lines().toList()) {
        boolean isOneWord = !line.strip().contains(" ");
        assertTrue(line.length() <= Math.min(columns, 120) || isOneWord, command + ": " + line);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 80, 120})
  void eachOptionBeginsALineInOnePiece(int columns) {
    for (List<String> command : commands()) {
      List<String> lines = help(command, columns).lines().map(String::strip).toList();
      for (OptionSpec option : spec(command).options()) {
        String longest = option.longestName();
        assertTrue(
            lines.stream().anyMatch(line -> line.matches("(-.*, )?" + longest + "\\b.*")),
            () -> command + " " + longest + "\n" + String.join("\n", lines));
      }
    }
  }

  /** Below an option is what it means, indented further. */
  @Test
  void theMeaningOfAnOptionIsAColumn() {
    for (List<String> command : commands()) {
      List<String> lines = help(command, 80).lines().toList();
      for (int line = 1; line < lines.size(); line++) {
        boolean goesOn = lines.get(line - 1).matches(" {2,6}-.*") && !lines.get(line).isBlank();
        assertTrue(
            !goesOn || lines.get(line).matches(" {2,6}-.*| {28,}\\S.*|Commands:"), lines.get(line));
      }
    }
  }

  /** Who copies an address must have all of it. */
  @Test
  void noLineEndsWithinAnAddress() {
    for (List<String> command : commands()) {
      String wide = help(command, 120);
      for (int columns : List.of(40, 66, 80, 100)) {
        String help = help(command, columns);
        assertEquals(words(wide), words(help), command.toString());
      }
    }
  }

  private static List<String> words(String help) {
    return List.of(help.strip().split("\\s+", -1));
  }

  /** Who copies a row must have all of it. */
  @Test
  void anExampleIsOneLineOfTheUsualWidth() {
    for (List<String> command : commands()) {
      for (String line : spec(command).usageMessage().footer()) {
        String example = line.replace("%%", "%");
        boolean isWhole = help(command, 80).lines().anyMatch(example::equals);
        assertTrue(isWhole || !example.startsWith("Example: "), example);
      }
    }
  }

  @Test
  void limitsPrintsLinesAsWideAsTheTerminal() {
    for (int columns : List.of(40, 80)) {
      for (String line : limits(Map.of("COLUMNS", "" + columns)).lines().toList()) {
        assertTrue(line.length() <= columns || !line.strip().contains(" "), line);
      }
    }
    assertTrue(limits(Map.of()).lines().anyMatch(line -> line.length() > 80), "not folded");
  }

  private static String limits(Map<String, String> environment) {
    return Session.given("").in(environment).run("limits").succeeds().out();
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 80, 120})
  void colorsChangeNoPlace(int columns) {
    for (List<String> names : commands()) {
      CommandLine command = Main.command(World.real());
      HelpWidth.set(command, columns);
      for (String name : names) {
        command = requireNonNull(command.getSubcommands().get(name));
      }
      String plain = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
      String colored = command.getUsageMessage(CommandLine.Help.Ansi.ON);
      assertTrue(colored.contains("\u001b["), colored);
      String shown = colored.replaceAll("\u001b\\[[0-9;]*m", "");
      assertEquals(plain.replaceAll(" +\n", "\n"), shown.replaceAll(" +\n", "\n"));
    }
  }

  /** Letters that have a color take no more places. */
  @Test
  void stylesTakeNoPlace() {
    String bold = "\u001b[1m" + "x".repeat(10) + "\u001b[21m\u001b[0m";
    assertEquals(bold + " y\n", HelpWidth.folded(bold + " y", 20));
  }

  @Test
  void columnsOfATableStay() {
    String row = "  name       " + "word ".repeat(14).strip();
    assertEquals(
        "  name       " + "word ".repeat(11).strip() + "\n" + " ".repeat(13) + "word word word\n",
        HelpWidth.folded(row, 70));
  }

  @Test
  void aNarrowTerminalLosesNothing() {
    for (List<String> command : commands()) {
      assertEquals(letters(help(command, 80)), letters(help(command, 40)), command.toString());
    }
  }

  private static String letters(String help) {
    return help.replaceAll("\\s", "");
  }

  /** The others are those of the help of all. */
  @Test
  void eachCommandTellsAllExitStatusesOfItsOwn() {
    Map<String, Set<Integer>> own =
        Map.of(
            "", Set.of(0, 2, 74, 128, 130, 141),
            "pipe", Set.of(0, 1, 2, 75),
            "run", Set.of(0, 1, 2, 75, 123, 124, 125, 126, 127, 255),
            "proxy", Set.of(2, 130, 143),
            "audit", Set.of(0, 1, 2),
            "simulate", Set.of(0, 1, 2),
            "cluster demo", Set.of(0, 1, 2));
    for (List<String> command : commands()) {
      String name = String.join(" ", command);
      String told = help(command, 100).split("Exit status: ", 2)[1].split("\n *\n", 2)[0];
      var numbers = new HashSet<Integer>();
      Pattern.compile("\\d+")
          .matcher(told)
          .results()
          .forEach(number -> numbers.add(Integer.valueOf(number.group())));
      assertEquals(own.getOrDefault(name, Set.of(0, 2)), numbers, name);
      boolean refers = told.replaceAll("\\s+", " ").contains("'pacegate --help'");
      assertEquals(!command.isEmpty(), refers, name);
    }
  }

  private static CommandLine.Model.CommandSpec spec(List<String> path) {
    CommandLine command = Main.command(World.real());
    for (String name : path) {
      command = requireNonNull(command.getSubcommands().get(name));
    }
    return command.getCommandSpec();
  }
}
