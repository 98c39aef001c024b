package dev.pacegate.cli;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A command with places for a line of input: every {@code {}} in its arguments or, if there is
 * none, behind the last argument. No shell interprets the line.
 */
final class Template {

  private static final String PLACE = "{}";
  private static final String UNREADABLE = "\uFFFD";

  private final List<String> arguments;

  Template(List<String> arguments) throws Failure {
    var all = new ArrayList<>(arguments);
    if (all.stream().noneMatch(argument -> argument.contains(PLACE))) {
      all.add(PLACE);
    }
    for (String argument : all) {
      if (argument.contains(UNREADABLE)) {
        throw new Failure(
            "the argument " + argument + " is no text in this locale (try LC_ALL=C.UTF-8)");
      }
    }
    this.arguments = all;
  }

  /**
   * Returns the command for {@code line}. An argument has exactly the bytes of the line, even if
   * they are no valid text.
   */
  ProcessBuilder of(byte[] line) throws Failure {
    for (byte b : line) {
      if (b == 0) {
        throw new Failure(
            "a line contains a NUL byte, which no argument can: tr -d '\\0' removes it");
      }
    }
    String text = new String(line, World.NATIVE);
    var command = new ArrayList<String>();
    for (String argument : arguments) {
      command.add(argument.replace(PLACE, text));
    }
    check(command.get(0));
    return new ProcessBuilder(isText(text, line) ? command : throughShell(line));
  }

  /** Checks the command itself, as far as that is possible without a line. */
  void check() throws Failure {
    if (!arguments.get(0).contains(PLACE)) {
      check(arguments.get(0));
    }
  }

  /** Which of the two encodings is used for arguments depends on the JDK. */
  private static boolean isText(String text, byte[] line) {
    return Arrays.equals(text.getBytes(World.NATIVE), line)
        && Arrays.equals(text.getBytes(Charset.defaultCharset()), line);
  }

  /**
   * Java can only pass valid text. For other bytes, a shell decodes their octal form before it
   * becomes the command; an x at the end keeps it from dropping newlines.
   */
  private List<String> throughShell(byte[] line) {
    var script = new StringBuilder("set --");
    for (String argument : arguments) {
      script.append("; a=$(printf '").append(octal(bytes(argument, line)));
      script.append("x'); set -- \"$@\" \"${a%x}\"");
    }
    return List.of("/bin/sh", "-c", script.append("; exec \"$@\"").toString());
  }

  private static byte[] bytes(String argument, byte[] line) {
    var bytes = new ByteArrayOutputStream();
    int from = 0;
    for (int at = argument.indexOf(PLACE); at >= 0; at = argument.indexOf(PLACE, from)) {
      bytes.writeBytes(argument.substring(from, at).getBytes(World.NATIVE));
      bytes.writeBytes(line);
      from = at + PLACE.length();
    }
    bytes.writeBytes(argument.substring(from).getBytes(World.NATIVE));
    return bytes.toByteArray();
  }

  private static String octal(byte[] bytes) {
    var text = new StringBuilder();
    for (byte b : bytes) {
      text.append(isPlain(b) ? String.valueOf((char) b) : String.format("\\%03o", b & 0xff));
    }
    return text.toString();
  }

  private static boolean isPlain(byte b) {
    return b > 0 && (Character.isLetterOrDigit(b) || " _./:,=@+-".indexOf(b) >= 0);
  }

  private static void check(String command) throws Failure {
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
