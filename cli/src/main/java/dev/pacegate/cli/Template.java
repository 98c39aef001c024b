package dev.pacegate.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A command with places for what differs from line to line; without any for the line or a column of
 * it, the line goes behind the last argument. No shell interprets the line.
 */
final class Template {

  private static final String UNREADABLE = "\uFFFD";

  private final List<Placeholders> arguments = new ArrayList<>();
  private final Columns columns;

  Template(List<String> arguments) throws Failure {
    this(arguments, "{}", new Columns(null));
  }

  /**
   * Creates a template.
   *
   * @param place what stands for the line
   * @param columns into which a line is split
   */
  Template(List<String> arguments, String place, Columns columns) throws Failure {
    this.columns = columns;
    for (String argument : arguments) {
      if (argument.contains(UNREADABLE)) {
        throw new Failure(
            "the argument " + argument + " is no text in this locale (try LC_ALL=C.UTF-8)");
      }
      this.arguments.add(new Placeholders(argument, place, columns.areSplit()));
    }
    if (this.arguments.stream().noneMatch(Placeholders::takeInput)) {
      this.arguments.add(new Placeholders(place, place, false));
    }
  }

  /**
   * Returns the command for {@code line}. An argument has exactly the bytes of the line, even if
   * they are no valid text.
   */
  FilledCommand of(InputLine line) throws Failure {
    for (byte b : line.text()) {
      if (b == 0) {
        throw new Failure(
            "a line contains a NUL byte, which no argument can: tr -d '\\0' removes it");
      }
    }
    List<byte[]> split = columns.of(line.text());
    var filled = new ArrayList<byte[]>();
    for (Placeholders argument : arguments) {
      filled.add(argument.fill(line, split));
    }
    check(new String(filled.get(0), World.NATIVE));
    return new FilledCommand(filled);
  }

  /** Checks the command itself, as far as that is possible without a line. */
  void check() throws Failure {
    String first = arguments.get(0).fixed();
    if (first != null) {
      check(first);
    }
  }

  private static void check(String command) throws Failure {
    if (command.isEmpty()) {
      throw new Failure(Status.NOT_FOUND, "the command is empty");
    }
    boolean found = false;
    for (Path candidate : candidates(command)) {
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return;
      }
      found |= Files.exists(candidate);
    }
    throw found
        ? new Failure(Status.CANNOT_RUN, "cannot run " + command)
        : new Failure(Status.NOT_FOUND, "there is no command " + command);
  }

  private static List<Path> candidates(String command) {
    try {
      if (command.contains("/")) {
        return List.of(Path.of(command));
      }
      String path = Objects.requireNonNullElse(System.getenv("PATH"), "/bin:/usr/bin");
      var candidates = new ArrayList<Path>();
      for (String folder : path.split(File.pathSeparator, -1)) {
        candidates.add(Path.of(folder.isEmpty() ? "." : folder).resolve(command));
      }
      return candidates;
    } catch (InvalidPathException e) {
      return List.of();
    }
  }
}
